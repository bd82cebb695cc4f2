import GenericState
import StoreState
import Testing

extension ProcessTests {
  @Suite("Joins at full speed")
  @MainActor
  struct JoinBurstTests {
    private static let rounds = 50
    private static let atOnce = 4
    private static let lines = 60

    /// Every action increments the count by one.
    ///
    /// A watcher that sees consecutive counts has therefore seen all of them, also between its
    /// snapshot and its first delta.
    @Test("Two hundred watchers that join while a load generator runs miss no update")
    func watchers() async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        let load = try world.startClient(
          "--json",
          "bench",
          "throughput",
          "--count",
          "100000000",
          "--window",
          "64",
          "--yes",
        )
        let before = try await world.snapshot("counter")
        var joined = 0
        for _ in 0..<Self.rounds {
          try await withThrowingTaskGroup { group in
            for _ in 0..<Self.atOnce { group.addTask { try await Self.watch(world) } }
            for try await counts in group {
              #expect(counts.count == Self.lines)
              #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 + 1 == $1 })
              joined += 1
            }
          }
        }
        let after = try await world.snapshot("counter")
        #expect(joined == Self.rounds * Self.atOnce)
        // The load continued all the time: there were far more updates than any watcher has read.
        let updates = try #require(after.state["count"]?.int) - (before.state["count"]?.int ?? 0)
        #expect(updates > joined * Self.lines / Self.atOnce)
        load.send(signal: 9)
        _ = try await load.ended()
      }
    }

    /// The counts that a watcher saw, from its join on.
    private static func watch(_ world: World) async throws -> [Int] {
      let run = try await world.client(
        "--json",
        "watch",
        "counter",
        "--deltas",
        "--count",
        "\(lines)",
      )
      #expect(run.isSuccess)
      return try run.output.map { line in
        let line = try WatchLine(line)
        let count = line.state?["count"] ?? line.delta?["changed"]?["count"]
        return try #require(count?.int)
      }
    }
  }
}
