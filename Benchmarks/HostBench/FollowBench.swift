import StoreActor
import ZeroMQ

/// Many clients of a daemon in one process, until it is killed.
@MainActor
enum FollowBench {
  static func run(_ arguments: inout Arguments) throws {
    guard let directory = arguments.text("--dir") else {
      throw BenchError("Which daemon? --dir DIR")
    }
    let count = arguments.number("--clients", or: 100)
    let first = arguments.number("--first", or: 0)
    let context = try Context()
    let followers = try (first..<first + count).map { number in
      try Follower(number, of: directory, scope: "counter", context: context)
    }
    let poller = Poller(followers.flatMap { $0.sockets.map { .socket($0) } })
    var isAnnounced = false
    while true {
      for follower in followers { try follower.turn() }
      if !isAnnounced, followers.allSatisfy(\.isReady) {
        isAnnounced = true
        Machine.announce("ready clients=\(count)")
      }
      // Nobody's ping is due sooner, and what comes wakes us.
      _ = try poller.wait(timeout: .milliseconds(isAnnounced ? 200 : 20))
    }
  }
}

/// Subscribers of whatever publishes at a socket's path, until killed: they take everything.
@MainActor
enum AttachBench {
  static func run(_ arguments: inout Arguments) throws {
    guard let path = arguments.text("--socket") else {
      throw BenchError("Which socket? --socket PATH")
    }
    let count = arguments.number("--clients", or: 100)
    let context = try Context()
    let sockets = try (0..<count).map { _ in
      var options = SocketOptions()
      options.linger = .zero
      options.sendHighWater = 0
      options.receiveHighWater = 0
      let socket = try Socket(context, kind: .xsub, options: options)
      try socket.connect("ipc://\(path)")
      _ = try socket.send([1])
      return socket
    }
    let poller = Poller(sockets.map { .socket($0) })
    var message = Message()
    // Connecting takes less, and nobody says when it is done.
    _ = try poller.wait(timeout: .milliseconds(500))
    Machine.announce("ready clients=\(count)")
    while true {
      _ = try poller.wait(timeout: nil)
      for socket in sockets { while try socket.receive(into: &message) {} }
    }
  }
}
