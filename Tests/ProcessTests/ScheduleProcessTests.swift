import GenericState
import StoreState
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension ProcessTests {
  @Suite("Schedules, in a user's own daemon")
  struct ScheduleProcessTests {
    private func planned(_ milliseconds: Int, isRepeated: Bool = false) -> String {
      let time = "\"milliseconds\":\(milliseconds),\"isRepeated\":\(isRepeated)"
      return "{\"inspectionPlanned\":{\(time)}}"
    }

    /// The lines of the log about firings.
    private func firings(_ world: World) async throws -> [JSONValue] {
      try await world.client("--json", "log", "--tail", "99").output
        .map { try JSONValue(parsing: $0) }.filter { $0["schedule"] != nil }
    }

    @Test("An action is sent at its time, after its client and its daemon have ended")
    func kept() async throws {
      try await World.run { world in
        let first = try await world.startDaemon(.strangerDaemon, ["--keep"])
        try await world.send("laboratory", planned(2_000))
        first.send(signal: SIGKILL)
        _ = try await first.ended()
        let second = try await world.startDaemon(.strangerDaemon, ["--keep"])
        let watcher = try await world.watch("laboratory")
        // It may have fired before the first line.
        var lines = try await watcher.output.lines(atLeast: 1)
        if lines.last?.contains("Inspector") == false {
          lines = try await watcher.output.lines(atLeast: 2)
        }
        #expect(lines.last?.contains("Inspector") == true)
        #expect(try await world.client("schedules").output.isEmpty)
        let fired = try await firings(world)
        #expect(fired.count == 1)
        #expect(fired.first?["name"]?.text == "technicianCame")
        #expect(fired.first?["cause"]?.int == 1)
        #expect(fired.first?["effect"]?.text == "inspection")
        second.send(signal: SIGKILL)
        _ = try await second.ended()
        _ = try await world.startDaemon(.strangerDaemon, ["--keep"])
        #expect(try await firings(world).count == 1)
      }
    }

    @Test("A replay knows which schedules a start has found")
    func replayed() async throws {
      try await World.run { world in
        let options = ["--keep", "--opening"]
        let first = try await world.startDaemon(.strangerDaemon, options)
        try await world.send("laboratory", planned(3_600_000))
        first.send(signal: SIGKILL)
        _ = try await first.ended()
        let second = try await world.startDaemon(.strangerDaemon, options)
        #expect(try await world.get("laboratory")["technician"] == "Waiting")
        second.send(signal: SIGTERM)
        _ = try await second.ended()
        let run = try await world.stranger("--replay", "--opening")
        #expect(run.output.first?.hasPrefix("Revisions 1 to 3: 3 run again") == true)
        #expect(run.output.count == 1, "\(run.output)")
      }
    }

    @Test("They are listed and cancelled by an operator", arguments: [["--keep"], []])
    func cancelled(options: [String]) async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon(.strangerDaemon, options)
        try await world.send("laboratory", planned(3_600_000, isRepeated: true))
        let listed = try await world.client("schedules").output
        #expect(listed.count == 1)
        #expect(listed.first?.contains("every 60 min  inspection  technicianCame") == true)
        let line = try #require(try await world.client("--json", "schedules").output.first)
        let number = try #require(try JSONValue(parsing: line)["number"]?.int)
        let run = try await world.client("schedules", "--cancel", "\(number)")
        #expect(run.output == ["Schedule \(number) is cancelled."])
        let again = try await world.client("schedules", "--cancel", "\(number)")
        #expect(again.end == .status(69))
        #expect(again.errorText.contains("storectl schedules"))
        guard !options.isEmpty else { return }
        daemon.send(signal: SIGKILL)
        _ = try await daemon.ended()
        _ = try await world.startDaemon(.strangerDaemon, options)
        #expect(try await world.client("schedules").output.isEmpty)
      }
    }

    @Test("A safe start holds them back")
    func safe() async throws {
      try await World.run { world in
        let first = try await world.startDaemon(.strangerDaemon, ["--keep"])
        try await world.send("laboratory", planned(500))
        first.send(signal: SIGKILL)
        _ = try await first.ended()
        _ = try await world.startDaemon(.strangerDaemon, ["--keep", "--safe"])
        let listed = try await world.client("schedules").output
        // It may have fired before the daemon was killed.
        if let line = listed.first { #expect(line.hasSuffix("[heldBack]")) }
        #expect(listed.count == (try await firings(world).isEmpty ? 1 : 0))
      }
    }
  }
}
