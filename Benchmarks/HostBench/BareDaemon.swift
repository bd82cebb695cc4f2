import StoreActor
import StoreDaemon
import StoreProtocol
import ZeroMQ

/// The daemon's two sockets with the daemon's options, without a daemon.
///
/// It shows the memory of libzmq itself for a client; ``BareClients`` are its clients.
@MainActor
enum BareDaemon {
  static func run(_ arguments: inout Arguments) throws {
    guard let directory = arguments.text("--dir") else {
      throw BenchError("The option --dir DIR is missing.")
    }
    let sockets = try HostSockets(
      HostConfiguration(directory: directory),
      limits: Limits(),
      welcome: Welcome(epoch: 1).encoded(),
      grants: .everything,
    )
    let poller = Poller([.socket(sockets.control), .socket(sockets.publishing)])
    Machine.announce("ready dir=\(directory)")
    while true {
      _ = try poller.wait(timeout: nil)
      while try sockets.nextUpstream() != nil {}
      while try sockets.nextControl() != nil {}
    }
  }
}

/// Clients of bare sockets: connected like a client, with its two topics, then idle.
@MainActor
enum BareClients {
  static func run(_ arguments: inout Arguments) throws {
    guard let directory = arguments.text("--dir") else {
      throw BenchError("The option --dir DIR is missing.")
    }
    let count = arguments.number("--clients", or: 50)
    let context = try Context()
    var numbers = Pseudorandom(seed: 5)
    let view = Topic(.view, .random(using: &numbers))
    let sockets = try (0..<count).flatMap { _ in
      let control = try Socket(context, kind: .dealer, options: Follower.options())
      let publishing = try Socket(
        context,
        kind: .xsub,
        options: Follower.options(sendHighWater: 0),
      )
      try control.connect("ipc://\(directory)/ctl")
      try publishing.connect("ipc://\(directory)/pub")
      _ = try publishing.send([1] + Topic(.session, .random(using: &numbers)).bytes)
      _ = try publishing.send([1] + view.bytes)
      // A hello and a join.
      for bytes in [50, 40] { _ = try control.send([UInt8](repeating: 0, count: bytes)) }
      return [control, publishing]
    }
    let poller = Poller(sockets.map { .socket($0) })
    var message = Message()
    Machine.announce("ready clients=\(count)")
    while true {
      _ = try poller.wait(timeout: .milliseconds(200))
      for socket in sockets { while try socket.receive(into: &message) {} }
    }
  }
}
