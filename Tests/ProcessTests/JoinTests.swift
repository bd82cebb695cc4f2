import GenericState
import StoreClient
import StoreReplica
import StoreState
import Testing

extension ProcessTests {
  @Suite("Joins under load")
  @MainActor
  struct JoinTests {
    private static let connections = 20
    private static let joins = 10

    /// Every action increments the count by one and makes one revision, and no other event does.
    ///
    /// So in every copy the count always equals the revision.
    @Test("Each of two hundred joins during many updates a second receives every update")
    func joins() async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        let sender = try world.startClient("--json", "send", "counter", "-")
        let connections = try (0...Self.connections).map { try connection($0, world) }
        let pace = try await Self.follow(connections[0])
        let updating = Task { try await Self.update(sender, pace) }
        var followers = [pace]
        try await withThrowingTaskGroup { group in
          for connection in connections.dropFirst() {
            group.addTask { try await Self.join(connection) }
          }
          for try await joined in group { followers += joined }
        }
        updating.cancel()
        try await updating.value
        let run = try await world.finish(sender)
        #expect(run.isSuccess)
        let final = try await world.snapshot("counter")
        #expect(final.revision == run.output.count)
        #expect(followers.count == Self.connections * Self.joins + 1)
        for follower in followers { try await follower.check(final) }
        for connection in connections { try connection.close() }
      }
    }

    private func connection(_ number: Int, _ world: World) throws -> StoreConnection {
      try StoreConnection(
        to: StoreLocation(directory: world.directory),
        name: "joiner \(number)",
        isListed: false,
      )
    }

    private static func updates(_ count: Int) -> [String] {
      Array(repeating: #""incrementButtonTapped""#, count: count)
    }

    /// Sends updates until it is cancelled, no faster than this process receives them.
    private static func update(_ sender: ChildProcess, _ pace: Follower) async throws {
      var sent = 0
      while !Task.isCancelled {
        sender.write(lines: updates(20))
        sent += 20
        let goal = UInt64(sent - 10)
        try await pace.seen.wait(within: .seconds(30), for: "the pace") {
          $0.revision.map { $0 >= goal } == true ? true : nil
        }
      }
    }

    private static func follow(_ connection: StoreConnection) async throws -> Follower {
      try await connection.connected(within: .seconds(20))
      let descriptions = try await connection.describe()
      let description = try #require(descriptions.first { $0.name == "counter" })
      let follower = Follower()
      follower.scope =
        connection.follow("counter", description: description) {
          follower.took($0, $1)
        }
        .replica
      return follower
    }

    /// Joins the scope repeatedly, each time after the last join has seen some updates.
    private static func join(_ connection: StoreConnection) async throws -> [Follower] {
      var followers: [Follower] = []
      for _ in 0..<joins {
        let follower = try await follow(connection)
        followers.append(follower)
        try await follower.seen.wait(within: .seconds(30), for: "updates after the join") {
          $0.deltas >= 3 ? true : nil
        }
      }
      return followers
    }

    @Test("Commands during many updates a second see a state of one revision")
    func commands() async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        let sender = try world.startClient("--json", "send", "counter", "-")
        try await withThrowingTaskGroup { group in
          for _ in 0..<20 {
            sender.write(lines: Self.updates(200))
            group.addTask { try await world.snapshot("counter") }
          }
          for try await snapshot in group {
            #expect(snapshot.state["count"]?.int == snapshot.revision)
          }
        }
        let run = try await world.finish(sender)
        #expect(run.isSuccess)
        #expect(run.output.count == 4000)
      }
    }
  }
}

/// A copy of the counter, and its events.
@MainActor
private final class Follower {
  struct Seen: Sendable {
    var revision: UInt64?
    var deltas = 0
    var snapshots = 0
    /// The first violation.
    var fault: String?
  }

  nonisolated let seen = Watched(Seen())
  var scope: GenericReplica?

  func took(_ scope: GenericReplica, _ event: GenericReplica.Event) {
    seen.update { seen in
      switch event {
      case .snapshot(let revision):
        seen.snapshots += 1
        note(scope, revision, follows: nil, &seen)
      case .delta(_, _, let revision):
        seen.deltas += 1
        note(scope, revision, follows: seen.revision, &seen)
      case .shown(let revision):
        if revision != seen.revision {
          seen.fault =
            seen.fault ?? "shown at \(revision), not \(String(describing: seen.revision))"
        }
      case .output, .status: break
      }
    }
  }

  private func note(
    _ scope: GenericReplica,
    _ revision: UInt64,
    follows last: UInt64?,
    _ seen: inout Seen,
  ) {
    seen.revision = revision
    let count = scope.value[field: "count"]
    if count != .unsigned(revision) {
      seen.fault =
        seen.fault ?? "at revision \(revision) the count was \(String(describing: count))"
    }
    if let last, revision != last + 1 {
      seen.fault = seen.fault ?? "revision \(revision) came after \(last)"
    }
  }

  /// Expects that the copy equals the daemon's state, without a fault on the way.
  func check(_ final: World.Snapshot) async throws {
    try await seen.wait(within: .seconds(30), for: "the last revision") {
      $0.revision == UInt64(final.revision) ? true : nil
    }
    #expect(seen.value.fault == nil)
    #expect(scope.map { "\($0.digest)" } == final.digest)
  }
}
