import StoreActor
import StoreProtocol
import StoreReplica
import StoredWorkspace
import ZeroMQ

/// A daemon, and all its clients.
@MainActor
final class FanDaemon: FanPeer {
  let process: FanProcess
  private let followers: [Follower]
  private let pollers: [Poller]
  private let action: [UInt8]
  private var deltas = 0

  init(_ process: FanProcess, clients: Int, _ context: Context) throws {
    self.process = process
    followers = try (0..<clients).map {
      try Follower(
        $0,
        of: process.location,
        scope: "counter",
        replica: TypedReplica<Counter.State>(),
        context: context,
      )
    }
    pollers = followers.map { Poller($0.sockets.map { .socket($0) }) }
    action = try Counter.Action.incrementButtonTapped.encoded()
    while !followers.allSatisfy(\.isReady) {
      for (follower, poller) in zip(followers, pollers) {
        _ = try poller.wait(timeout: .milliseconds(1))
        try follower.turn()
      }
    }
    // After these deltas and their bookmark, the bookmark's size is known, and all caches are warm.
    for _ in 0...Limits().deltasPerBookmark { try step() }
  }

  var shape: FanShape {
    FanShape(delta: followers[0].deltaBytes, bookmark: followers[0].bookmarkBytes)
  }

  func spent() throws -> Double {
    try process.countIfWanted()
    return Double(
      try process.isWhole
        ? Machine.nanoseconds(of: process.id) : Machine.mainThreadNanoseconds(of: process.id)
    )
  }

  func step() throws {
    deltas += 1
    let ticket = try followers[0].submit(action)
    for (follower, poller) in zip(followers, pollers) {
      repeat {
        _ = try poller.wait(timeout: .seconds(1))
        try follower.turn()
      } while follower.deltas < deltas || (follower === followers[0] && ticket.outcome == nil)
    }
  }
}
