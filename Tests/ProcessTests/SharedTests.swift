import GenericState
import SerialProbe
import StoreActor
import StoreClient
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ProcessTests {
  /// A value of a daemon that clients share.
  @Suite("A value that processes share")
  @MainActor
  struct SharedTests {
    @Test("A change in one is seen by the others, and concurrent updates are counted once")
    func everywhere() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.serialProbe)
        try await sharing(world) { one, _ in
          try await sharing(world) { other, _ in
            one.withLock { $0.title = "by one" }
            #expect(one.wrappedValue.title == "by one")
            try await value(of: other, "the change") { $0.title == "by one" }
            try await one.save()
            try await withThrowingTaskGroup { group in
              for notes in [one, other] {
                group.addTask {
                  for _ in 0..<20 { try await Shared.update(notes) { $0.count += 1 } }
                }
              }
              try await group.waitForAll()
            }
            for notes in [one, other] {
              try await value(of: notes, "all that was counted") { $0.count == 40 }
            }
            #expect(one.saveError == nil && other.saveError == nil)
            let shown = try await world.get("notes")
            #expect(shown["count"] == 40 && shown["title"] == "by one")
          }
        }
      }
    }

    @Test("A copy follows the daemon through its restart, and accepts changes after it")
    func restart() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon(.serialProbe)
        try await sharing(world) { notes, connection in
          try await Shared.update(notes) { $0.count = 7 }
          var events = connection.events.makeAsyncIterator()
          daemon.send(signal: SIGKILL)
          _ = try await daemon.ended()
          _ = try await world.startDaemon(.serialProbe)
          while let event = await events.next(), event.kind != .newEpoch {}
          try await value(of: notes, "the new history") { $0 == ProbeNotes() }
          try await Shared.update(notes) { $0.count += 1 }
          #expect(notes.wrappedValue.count == 1)
          #expect(try await world.get("notes")["count"] == 1)
        }
      }
    }

    @Test("Durable values survive a daemon's sudden end, and changes are counted once")
    func durable() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon(.serialProbe, ["--keep"])
        try await sharing(world) { one, _ in
          try await sharing(world) { other, connection in
            connection.actionTimeToLive = nil
            try await Shared.update(one) { $0.title = "kept" }
            let counting = Task {
              for _ in 0..<40 { try await Shared.update(other) { $0.count += 1 } }
            }
            try await value(of: one, "a part of the counts") { $0.count >= 10 }
            daemon.send(signal: SIGKILL)
            _ = try await daemon.ended()
            _ = try await world.startDaemon(.serialProbe, ["--keep"])
            try await counting.value
            try await Shared.update(one) { $0.count += 1 }
            for notes in [one, other] {
              try await value(of: notes, "all that was counted") { $0.count == 41 }
              #expect(notes.wrappedValue.title == "kept")
            }
            let shown = try await world.get("notes")
            #expect(shown["count"] == 41 && shown["title"] == "kept")
          }
        }
      }
    }

    /// Shares the daemon's notes as a separate program would, after they have arrived.
    private func sharing(
      _ world: World,
      _ body: (Shared<ProbeNotes>, StoreConnection) async throws -> Void,
    ) async throws {
      let connection = try StoreConnection(
        to: StoreLocation(directory: world.directory),
        name: "process tests",
      )
      do {
        let notes = withDependencies {
          connection.share(in: &$0)
        } operation: {
          Shared(wrappedValue: ProbeNotes(), .store("notes"))
        }
        try await connection.connected(within: .seconds(10))
        try await notes.load()
        try await body(notes, connection)
      } catch {
        try connection.close()
        throw error
      }
      try connection.close()
    }

    /// Waits until a shared value satisfies a condition.
    private func value(
      of notes: Shared<ProbeNotes>,
      _ what: String,
      where fits: @escaping @Sendable (ProbeNotes) -> Bool,
    ) async throws {
      let seen = Watched(ProbeNotes())
      let watching = Task {
        while !Task.isCancelled {
          let changed = AsyncStream<Void>.makeStream()
          let value = withObservationTracking {
            notes.wrappedValue
          } onChange: {
            changed.continuation.finish()
          }
          seen.update { $0 = value }
          for await _ in changed.stream {}
        }
      }
      defer { watching.cancel() }
      try await seen.wait(within: .seconds(20), for: what) { fits($0) ? true : nil }
    }
  }
}
