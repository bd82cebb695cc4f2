import GenericState
import StoreState
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ProcessTests {
  /// Commands that run until they are stopped, on a pseudo-terminal and in a pipe.
  @Suite struct LiveViewTests {
    private static let restored = TerminalProcess.End(isRestored: true, status: 0)

    @Test func `On a terminal a watched scope is a tree that stays up to date`() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        let watch = try TerminalProcess(world, ["watch", "todos", "counter"], term: "vt52")
        try await watch.shows("count: 0")
        try await world.send("counter", "incrementButtonTapped")
        try await watch.shows("count: 1")
        watch.resize(width: 30, height: 8)
        try await world.send("todos", #"{"addButtonTapped":{"title":"Milk"}}"#)
        try await watch.shows("items: 1 element")
        daemon.send(signal: SIGKILL)
        _ = try await daemon.ended()
        try await watch.shows("does not respond")
        _ = try await world.startDaemon()
        try await watch.hides("does not respond")
        watch.type("q")
        #expect(try await watch.ended() == Self.restored)
      }
    }

    @Test func `The last change is highlighted, in colour unless that is not wanted`() async throws
    {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        for environment in [[:], ["NO_COLOR": "1"]] {
          let watch = try TerminalProcess(
            world,
            ["watch", "counter"],
            term: "xterm-256color",
            environment: environment,
          )
          try await watch.wrote("count:")
          let before = watch.text.count
          try await world.send("counter", "incrementButtonTapped")
          // The scope's name is cyan, the changes are yellow.
          if environment.isEmpty { try await watch.wrote("33m") }
          try await watch.writes(behind: before)
          watch.type("q")
          #expect(try await watch.ended() == Self.restored)
          let isColorful = watch.text.contains("36m")
          #expect(isColorful == environment.isEmpty, "\(watch.text.debugDescription)")
        }
      }
    }

    @Test(arguments: [["counter"], ["--deltas", "counter"], ["--count", "1", "counter"]])
    func `A terminal that cannot show a screen gets lines without colours`(
      arguments: [String]
    ) async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let watch = try TerminalProcess(world, ["watch"] + arguments, term: "dumb")
        try await watch.wrote(#"{"count":0"#)
        if !arguments.contains("--count") { kill(try await watch.pid(), SIGINT) }
        #expect(try await watch.ended() == Self.restored)
        #expect(!watch.text.contains("\u{1B}"))
      }
    }

    @Test func `A pipe gets JSON, line by line`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let run = try await world.client("watch", "counter", "--count", "1")
        #expect(run.isSuccess && run.output.count == 1)
        #expect(try JSONValue(parsing: run.output.joined())["state"]?["count"] == 0)
      }
    }

    @Test func `A continuous status is a screen on a terminal, and JSON in a pipe`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let screen = try TerminalProcess(world, ["status", "--watch"], term: "vt52")
        try await screen.shows("revisions a second")
        try await screen.shows("storectl stat")
        try await world.send("counter", "incrementButtonTapped")
        screen.type("q")
        #expect(try await screen.ended() == Self.restored)

        let script = #""$0" "$@" | head -2"#
        let arguments = ["--dir", world.directory, "status", "--watch"]
        let pipe = try world.start(.storectl, arguments, script: script)
        #expect(try await pipe.ended() == .status(0))
        #expect(
          try pipe.output.lines.map { try JSONValue(parsing: $0)["revision"]?.int ?? 0 > 0 }
            == [true, true]
        )
      }
    }

    @Test func `A status for people begins with whether all is well`() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        try await world.send("counter", "incrementButtonTapped")
        let terminal = try TerminalProcess(world, ["status"], term: "dumb")
        // Output may be read after the end is known.
        try await terminal.wrote("as stored with pid \(daemon.pid)")
        #expect(try await terminal.ended() == Self.restored)
        let lines = terminal.text.split(separator: "\r\n").map(String.init)
        #expect(lines[0].hasPrefix("revision  ") && lines[0].hasSuffix("all of it on the disk"))
        #expect(lines[1].hasPrefix("up for ") && lines[1].hasSuffix("with pid \(daemon.pid)"))
        #expect(!lines.contains { $0.hasSuffix("  0") }, "\(lines)")
      }
    }

    @Test func `Prometheus gets numbers, each with its meaning`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        try await world.send("counter", "incrementButtonTapped")
        let run = try await world.client("status", "--prometheus")
        #expect(run.isSuccess)
        #expect(run.output.contains { $0.hasPrefix("storeactor_revision ") })
        #expect(run.output.contains("# TYPE storeactor_sessions gauge"))
        for line in run.output where !line.hasPrefix("#") {
          let parts = line.split(separator: " ")
          #expect(parts.count == 2 && Double(parts[1]) != nil, "\(line)")
          #expect(run.output.contains { $0.hasPrefix("# HELP \(parts[0]) ") })
        }
        #expect(try await world.client("--json", "status", "--prometheus").end == .status(64))
      }
    }
  }
}
