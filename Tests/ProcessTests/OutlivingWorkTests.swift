import GenericState
import StoreState
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension ProcessTests {
  @Suite("Work that outlives its client, in a user's own daemon")
  struct OutlivingWorkTests {
    private func timed(_ milliseconds: Int) -> String {
      #"{"ovenTimed":{"milliseconds":\#(milliseconds)}}"#
    }

    @Test("It continues after the client that started it has ended")
    func continues() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.strangerDaemon)
        let watcher = try await world.watch("laboratory", "--deltas")
        let sent = try await world.client("send", "laboratory", timed(500))
        #expect(sent.isSuccess)
        // No note says that its effect ends with this command.
        #expect(sent.errorText == "")
        _ = try await watcher.output.lines(atLeast: 3)
        #expect(try await world.get("laboratory")["oven"] == "off")
      }
    }

    @Test("The log names the effect that sent an action, and why leads from one to the other")
    func causes() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon(.strangerDaemon, ["--keep"])
        let watcher = try await world.watch("laboratory", "--deltas")
        try await world.send("laboratory", timed(1))
        _ = try await watcher.output.lines(atLeast: 3)
        for options in [[], ["--data", "\(world.directory)/data"]] {
          if !options.isEmpty {
            daemon.send(signal: SIGTERM)
            _ = try await daemon.ended()
          }
          var found: [[String]] = []
          for revision in ["1", "2"] {
            let run = try await world.client(["--json", "why", revision] + options)
            let lines = try run.output.map { try JSONValue(parsing: $0) }
            found.append(lines.map { "\($0["relation"]?.text ?? "") \($0["revision"]?.int ?? 0)" })
            if revision == "2" {
              #expect(lines.last?["effect"]?.text == "oven" && lines.last?["cause"]?.int == 1)
              #expect(lines.last?["name"]?.text == "ovenSet")
            }
          }
          let filtered = try await world.client(
            ["--json", "log", "--by", "oven", "--count", "1"] + options
          )
          #expect(filtered.output.count == 1)
          #expect(filtered.output.first?.contains(#""revision":2,"#) == true)
          let others = try await world.client(
            ["--json", "log", "--by", "oven", "--not", "--tail", "9"] + options
          )
          #expect(others.isSuccess && !others.output.contains { $0.contains(#""effect""#) })
          #expect(others.output.contains { $0.contains(#""revision":1,"#) })
          #expect(found == [["revision 1", "consequence 2"], ["cause 1", "revision 2"]])
        }
        let late = try await world.client(["why", "99", "--data", "\(world.directory)/data"])
        #expect(late.end == .status(65))
        #expect(try await world.client("why", "0").end == .status(64))
      }
    }

    @Test("The status names it, and after a kill the feature learns that it was interrupted")
    func killed() async throws {
      try await World.run { world in
        let first = try await world.startDaemon(.strangerDaemon, ["--keep"])
        try await world.send("laboratory", timed(1_000_000))
        let status = try await world.client("--json", "status").output.first ?? ""
        #expect(try JSONValue(parsing: status)["work"]?["oven"]?.int == 1)
        #expect(try await world.client("status").output.contains { $0.contains("oven ×1") })
        first.send(signal: SIGKILL)
        _ = try await first.ended(within: .seconds(30))
        _ = try await world.startDaemon(.strangerDaemon, ["--keep"])
        #expect(try await world.get("laboratory")["oven"]?["broken"]?["_0"] == "interrupted")
      }
    }
  }
}
