import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ProcessTests {
  /// `storectl ui` on a pseudo-terminal.
  @Suite struct TerminalTests {
    private func ui(_ world: World, term: String = "vt52") throws -> TerminalProcess {
      try TerminalProcess(world, ["ui"], term: term)
    }

    @Test func `Two terminals and a sender stay in step`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let (one, other) = (try ui(world), try ui(world))
        try await one.shows("1 Counter")
        try await other.shows("1 Counter")
        one.type("++")
        try await other.shows("[−] 2 [+]")
        other.type("-")
        try await one.shows("[−] 1 [+]")
        // All of it at once: each key finds what the one before it has led to.
        one.type("2aMilk\r")
        try await one.shows("[ ] Milk")
        other.type("2 ")
        try await one.shows("[x] Milk")
        try await world.send("todos", #"{"addButtonTapped":{"title":"Eggs"}}"#)
        try await one.shows("[ ] Eggs")
        try await other.shows("[ ] Eggs")
        one.type("q")
        #expect(try await one.ended() == TerminalProcess.End(isRestored: true, status: 0))
      }
    }

    @Test func `The last line is free for what comes behind a screen`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let ui = try ui(world)
        try await ui.shows("q quit")
        ui.type("q")
        #expect(try await ui.ended().isRestored)
        #expect(ui.lines.last == "", "\(ui.lines)")
      }
    }

    @Test func `A terminal may shrink to one cell, and grow again`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let ui = try ui(world)
        try await ui.shows("[−] 0 [+]")
        ui.resize(width: 1, height: 1)
        ui.type("+")
        ui.resize(width: 40, height: 10)
        try await ui.shows("[−] 1 [+]")
        #expect(ui.lines.count == 10)
        ui.type("q")
        #expect(try await ui.ended().isRestored)
      }
    }

    @Test func `A daemon that is gone leaves what it was, and comes back by itself`()
      async throws
    {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        let ui = try ui(world)
        try await ui.shows("[−] 0 [+]")
        ui.type("+")
        try await ui.shows("[−] 1 [+]")
        daemon.send(signal: SIGKILL)
        _ = try await daemon.ended()
        try await ui.shows("Nothing is heard of the daemon")
        try await ui.shows("[−] 1 [+]")
        _ = try await world.startDaemon()
        try await ui.hides("Nothing is heard of the daemon")
        ui.type("+")
        try await ui.shows("[−] 2 [+]")
        ui.type("q")
        #expect(try await ui.ended() == TerminalProcess.End(isRestored: true, status: 0))
      }
    }

    @Test func `The state of any scope of any daemon is shown, and its actions can be sent`()
      async throws
    {
      try await World.run { world in
        _ = try await world.startDaemon(.strangerDaemon)
        let ui = try ui(world)
        try await ui.shows("Overview")
        ui.type(":Go to Scopes\r")
        try await ui.shows("Actions")
        ui.type("\r")
        try await ui.shows("revision")
        ui.type("s")
        try await ui.shows("Send ")
        ui.type("\u{1B}q")
        #expect(try await ui.ended().isRestored)
      }
    }

    @Test(arguments: [
      SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT, SIGILL, SIGTRAP, SIGBUS, SIGFPE,
    ])
    func `Whatever signal ends it, the terminal is as it was`(signal: Int32) async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let ui = try ui(world, term: "xterm-256color")
        try await ui.wrote("Counter")
        kill(try await ui.pid(), signal)
        #expect(
          try await ui.ended() == TerminalProcess.End(isRestored: true, status: 128 + signal)
        )
        // The screen that was there before, and the cursor.
        try await ui.wrote("\u{1B}[?1049l")
        // Nobody asks whether to look at a backtrace.
        let errors = ui.process.errors.lines
        #expect(!errors.contains { $0.contains("acktrace") || $0.contains("rashed") }, "\(errors)")
      }
    }

    @Test func `It ends when its terminal has gone, also where that is to be ignored`() async throws
    {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let ui = try TerminalProcess(world, ["ui"], term: "vt52", ignoresHangUp: true)
        try await ui.shows("1 Counter")
        ui.hangUp()
        #expect(try await ui.ended().status == 128 + SIGHUP)
      }
    }

    @Test(arguments: ["dumb", "unknown", "", "no-such-terminal"])
    func `A terminal that cannot show a screen is told on one line`(term: String) async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let ui = try ui(world, term: term)
        #expect(try await ui.ended() == TerminalProcess.End(isRestored: true, status: 64))
        let errors = ui.process.errors.lines.filter { $0.hasPrefix("storectl: ") }
        #expect(errors.count == 1 && errors[0].contains("TERM"), "\(ui.process.errors.lines)")
      }
    }

    @Test func `Without a terminal nothing is shown`() async throws {
      try await World.run { world in
        let run = try await world.client(["ui"])
        #expect(run.end == .status(64))
        #expect(run.output.isEmpty)
        #expect(run.errors.count == 1, "\(run.errors)")
      }
    }
  }
}
