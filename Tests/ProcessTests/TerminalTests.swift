import GenericState
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
        // All keys at once: each acts on the result of the key before it.
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

    @Test func `The last line is free for the output after a screen`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let ui = try ui(world)
        try await ui.shows("q quit")
        ui.type("q")
        #expect(try await ui.ended().isRestored)
        // The last output may be read after the end is known.
        try await ui.hides("q quit")
        #expect(ui.lines.last == "", "\(ui.lines)")
      }
    }

    @Test func `After text that is not ASCII the cursor is moved to its place`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        // Joined emoji, a sign with an emoji variation, and a letter with more marks than a cell
        // holds.
        let marks = String(repeating: "\u{301}", count: 9)
        let title = "a👨\u{200D}👩\u{200D}👧b❤\u{FE0F}c日dz\(marks)e"
        try await world.send("todos", #"{"addButtonTapped":{"title":"\#(title)"}}"#)
        let ui = try ui(world, term: "xterm-256color")
        try await ui.wrote("Counter")
        ui.type("2")
        func at(_ column: Int) -> String { "\u{1B}[4;\(column)H" }
        try await ui.wrote(
          "[ ] a👨\u{200D}\(at(8))👩\u{200D}\(at(10))👧\(at(12))b❤\u{FE0F}\(at(14))c日\(at(17))d"
            + "z\(marks.unicodeScalars.prefix(4).map { "\($0)" }.joined())\(at(19))e"
        )
        // When the row changes, it is emptied first, since the terminal may have drawn wider.
        ui.type(" ")
        try await ui.written("an emptied row") { text in
          text.contains(/\u{1B}\[4;5H(\u{1B}\[[0-9;]*m|\u{1B}\(B)* {15}/) ? true : nil
        }
        ui.type(":")
        try await ui.wrote("Commands")
        ui.type("Help\r")
        try await ui.wrote("Keys")
        ui.type("?4")
        try await ui.wrote("answers, in ms")
        ui.type("q")
        #expect(try await ui.ended().isRestored)
        #expect(unplaced(in: ui.text) == [])
      }
    }

    /// Returns the texts after a scalar that is not ASCII that are written without a cursor
    /// movement.
    private func unplaced(in text: String) -> [String] {
      var (found, isUnknown, rest): ([String], Bool, Substring.UnicodeScalarView) =
        ([], false, text.unicodeScalars[...])
      while let scalar = rest.first {
        if scalar == "\u{1B}" {
          // Colours do not move the cursor.
          let end = rest.dropFirst(2).firstIndex { $0.properties.isAlphabetic } ?? rest.endIndex
          if end < rest.endIndex, rest[end] != "m" { isUnknown = false }
          rest = rest[end...].dropFirst()
          continue
        }
        let isMark = scalar.properties.generalCategory == .nonspacingMark || scalar == "\u{200D}"
        if isUnknown, !isMark { found.append(String(rest.prefix(20))) }
        isUnknown = scalar.value >= 0x80
        rest = rest.dropFirst()
      }
      return found
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

    @Test func `When a daemon is gone its last state stays, and the screen reconnects by itself`()
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
        try await ui.shows("The daemon does not respond")
        try await ui.shows("[−] 1 [+]")
        ui.type("+")
        try await ui.shows("1 action waits for the daemon")
        _ = try await world.startDaemon()
        try await ui.hides("waits for the daemon")
        try await ui.shows("[−] 2 [+]")
        // The earlier revisions are in its journal.
        ui.type(":Open counter\r@0\r")
        try await ui.shows("THE PAST: revision 0")
        try await ui.shows("count: 0")
        ui.type("L7")
        try await ui.shows("counter \"incr")
        ui.type("/incr\rG\r")
        try await ui.shows("counter.count: 1 → 2")
        ui.type("q")
        #expect(try await ui.ended() == TerminalProcess.End(isRestored: true, status: 0))
      }
    }

    @Test func `A user that quits while actions wait gets the notice that they are given up`()
      async throws
    {
      try await World.run { world in
        let daemon = try await world.startDaemon(.stored, ["--in-memory"])
        let ui = try ui(world)
        try await ui.shows("[−] 0 [+]")
        daemon.send(signal: SIGKILL)
        _ = try await daemon.ended()
        ui.type("+++")
        try await ui.shows("3 actions wait for the daemon")
        ui.type("q")
        _ = try await ui.process.errors.line("the abandoned actions") {
          $0.hasPrefix("storectl: 3 actions that waited for the daemon are given up")
        }
        #expect(try await ui.ended() == TerminalProcess.End(isRestored: true, status: 0))
      }
    }

    @Test func `Actions that waited for one history are not run in another one, with a notice`()
      async throws
    {
      try await World.run { world in
        let daemon = try await world.startDaemon(.stored, ["--in-memory"])
        let ui = try ui(world)
        try await ui.shows("[−] 0 [+]")
        ui.type("+")
        try await ui.shows("[−] 1 [+]")
        daemon.send(signal: SIGKILL)
        _ = try await daemon.ended()
        ui.type("+++")
        try await ui.shows("3 actions wait for the daemon")
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        try await ui.shows("The daemon has begun")
        try await ui.shows("[−] 0 [+]")
        #expect(try await world.get("counter")["count"] == 0)
        ui.type("+")
        try await ui.shows("[−] 1 [+]")
        ui.type("q")
        #expect(try await ui.ended() == TerminalProcess.End(isRestored: true, status: 0))
      }
    }

    @Test func `A key that depends on a row's place waits for earlier keys`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        for title in ["a", "b", "c", "d"] {
          try await world.send("todos", #"{"addButtonTapped":{"title":"\#(title)"}}"#)
        }
        let ui = try ui(world)
        try await ui.shows("2 Todos")
        ui.type("2")
        try await ui.shows("[ ] d")
        let watcher = try await world.watch("todos")
        func titles(_ titles: [String]) async throws {
          try await watcher.output.state("\(titles)") { state in
            state["items"]?.items?.map { $0["title"]?.text ?? "" } == titles
          }
          try await ui.shows("\(titles.count) of \(titles.count)")
        }
        // Each key arrives long before the answer to the key before it.
        ui.type("JJJ")
        try await titles(["b", "c", "d", "a"])
        ui.type("KKK")
        try await titles(["a", "b", "c", "d"])
        ui.type("dydy")
        try await titles(["c", "d"])
        for title in ["e", "f", "g", "h"] {
          try await world.send("todos", #"{"addButtonTapped":{"title":"\#(title)"}}"#)
        }
        try await ui.shows("[ ] h")
        // A key acts on the row that is selected at the press, also if the selection moves later.
        ui.type("gxdyjj")
        try await titles(["d", "e", "f", "g", "h"])
        // If an earlier action has removed that row, the key acts on the next row.
        ui.type("gxjdydyG")
        try await titles(["d", "g", "h"])
        ui.type("gxdyG")
        try await titles(["g", "h"])
        ui.type("g")
        ui.type("ff")
        try await ui.shows("Filter: completed")
        ui.type("f")
        try await ui.shows("Filter: all")
        ui.type("xjx")
        try await watcher.output.state("both are done") { state in
          state["filter"]?.text == "all"
            && state["items"]?.items?.allSatisfy { $0["isCompleted"] == true } == true
        }
        ui.type("q")
        #expect(try await ui.ended() == TerminalProcess.End(isRestored: true, status: 0))
      }
    }

    @Test func `A key has no effect where another client has removed its row`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        for title in ["a", "b", "c"] {
          try await world.send("todos", #"{"addButtonTapped":{"title":"\#(title)"}}"#)
        }
        let ui = try ui(world)
        // Digits open the same screens from the beginning.
        ui.type("2")
        try await ui.shows("[ ] c")
        // The key before this one has had its effect.
        ui.type("j:")
        try await ui.shows("Commands")
        ui.type("\u{1B}")
        try await ui.hides("Commands")
        let items = try await world.get("todos")["items"]?.items ?? []
        let id = try #require(items.dropFirst().first?["id"]?.text)
        try await world.send("todos", #"{"removed":{"id":"\#(id)"}}"#)
        try await ui.hides("[ ] b")
        ui.type("d")
        try await ui.shows("That has had no effect")
        #expect(try await world.get("todos")["items"]?.items?.count == 2)
        // The picture has the cursor on the next row.
        ui.type("d")
        try await ui.shows("Delete \"c\"?")
        ui.type("y")
        try await ui.hides("[ ] c")
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
        ui.type("\u{1B}")
        try await ui.hides("Send ")
        ui.type("q")
        #expect(try await ui.ended().isRestored)
      }
    }

    @Test(arguments: [
      SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT, SIGILL, SIGTRAP, SIGBUS, SIGFPE,
    ])
    func `After any signal the terminal is restored`(signal: Int32) async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let ui = try ui(world, term: "xterm-256color")
        try await ui.wrote("Counter")
        kill(try await ui.pid(), signal)
        #expect(
          try await ui.ended() == TerminalProcess.End(isRestored: true, status: 128 + signal)
        )
        // The earlier screen is restored, with the cursor.
        try await ui.wrote("\u{1B}[?1049l")
        // No prompt for a backtrace appears.
        let errors = ui.process.errors.lines
        #expect(!errors.contains { $0.contains("acktrace") || $0.contains("rashed") }, "\(errors)")
      }
    }

    @Test func `Ctrl-Z restores the terminal, and the screen returns with fg`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let shell = try TerminalProcess.shell(world, term: "vt52")
        try await shell.shows("q quit")
        shell.type("\u{1A}")
        try await shell.shows("stopped with \(128 + SIGTSTP)")
        shell.type("\r")
        try await shell.shows("[−] 0 [+]")
        try await shell.hides("stopped with")
        shell.type("q")
        #expect(try await shell.ended() == TerminalProcess.End(isRestored: true, status: 0))
      }
    }

    @Test func `It ends with its terminal, even if that signal is ignored`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let ui = try TerminalProcess(world, ["ui"], term: "vt52", ignoresHangUp: true)
        try await ui.shows("1 Counter")
        ui.hangUp()
        #expect(try await ui.ended().status == 128 + SIGHUP)
      }
    }

    @Test(arguments: ["dumb", "unknown", "", "no-such-terminal"])
    func `An unsuitable terminal is reported on one line`(term: String) async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let ui = try ui(world, term: term)
        #expect(try await ui.ended() == TerminalProcess.End(isRestored: true, status: 64))
        let errors = ui.process.errors.lines.filter { $0.hasPrefix("storectl: ") }
        #expect(errors.count == 1 && errors[0].contains("TERM"), "\(ui.process.errors.lines)")
      }
    }

    @Test func `Without a terminal no screen is shown`() async throws {
      try await World.run { world in
        let run = try await world.client(["ui"])
        #expect(run.end == .status(64))
        #expect(run.output.isEmpty)
        #expect(run.errors.count == 1, "\(run.errors)")
      }
    }
  }
}
