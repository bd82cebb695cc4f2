import StoreActor
import StoreProtocol
import StoreReplica
import StoredWorkspace
import ZeroMQ

/// Many clients of a daemon in one process, until it is killed.
@MainActor
enum FollowBench {
  static func run(_ arguments: inout Arguments) throws {
    guard let directory = arguments.text("--dir") else {
      throw BenchError("The option --dir DIR is missing.")
    }
    let count = arguments.number("--clients", or: 100)
    let first = arguments.number("--first", or: 0)
    let scope = arguments.text("--scope") ?? "counter"
    let context = try Context()
    let followers = try (first..<first + count).map { number in
      try Follower(
        number,
        of: StoreLocation(directory: directory),
        scope: scope,
        replica: try replica(of: scope),
        context: context,
      )
    }
    let poller = Poller(followers.flatMap { $0.sockets.map { .socket($0) } })
    var isAnnounced = false
    while true {
      for follower in followers { try follower.turn() }
      if !isAnnounced, followers.allSatisfy(\.isReady) {
        isAnnounced = true
        Machine.announce("ready clients=\(count)")
      }
      // No ping is due sooner, and incoming messages wake the loop.
      _ = try poller.wait(timeout: .milliseconds(isAnnounced ? 200 : 20))
    }
  }

  private static func replica(of scope: String) throws -> any Replica {
    switch scope {
    case "counter": TypedReplica<Counter.State>()
    case "todos": TypedReplica<Todos.State>()
    default: throw BenchError("There is no scope \(scope): use counter or todos")
    }
  }
}
