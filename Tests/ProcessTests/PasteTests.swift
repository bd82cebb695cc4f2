import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ProcessTests {
  /// Pastes into `storectl ui` on a pseudo-terminal.
  @Suite struct PasteTests {
    private static let on = "\u{1B}[?2004h"
    private static let off = "\u{1B}[?2004l"

    /// Whether a terminal marks pastes after it received a text.
    private func marksPastes(_ text: String) -> Bool {
      text.ranges(of: Self.on).last.map { !text[$0.upperBound...].contains(Self.off) } ?? false
    }

    @Test func `A paste of several lines is input of a field, and no command`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let ui = try TerminalProcess(world, ["ui"], term: "xterm-256color")
        try await ui.wrote("Counter")
        ui.type("2a\u{1B}[200~shopping\nd\nd\n\u{1B}[201~\r")
        try await ui.wrote("[ ] shopping d d")
        // A list ignores pastes and keys with Alt.
        ui.type("\u{1B}[200~d\nq\n\u{1B}[201~\u{1B}da")
        try await ui.wrote("New todo")
        ui.type("Milk\r")
        // Both todos exist: of "1 of 1" only the numbers are redrawn.
        try await ui.wrote("\u{1B}[3;13H2\u{1B}[3;18H2")
        ui.type("q")
        #expect(try await ui.ended() == TerminalProcess.End(isRestored: true, status: 0))
      }
    }

    @Test(arguments: [nil, SIGINT, SIGTERM, SIGHUP, SIGSEGV, SIGABRT])
    func `However it ends, the terminal marks pastes no more`(signal: Int32?) async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let ui = try TerminalProcess(world, ["ui"], term: "xterm-256color")
        try await ui.wrote("Counter")
        #expect(marksPastes(ui.text))
        if let signal { kill(try await ui.pid(), signal) } else { ui.type("q") }
        #expect(try await ui.ended().isRestored)
        try await ui.wrote(Self.off)
        #expect(!marksPastes(ui.text))
      }
    }

    @Test func `While it is stopped by Ctrl-Z the terminal marks no pastes`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let shell = try TerminalProcess.shell(world, term: "xterm-256color")
        try await shell.wrote("Counter")
        shell.type("\u{1A}")
        try await shell.wrote("stopped with \(128 + SIGTSTP)")
        #expect(!marksPastes(shell.text))
        shell.type("\r")
        try await shell.written("the mode again") { marksPastes($0) ? true : nil }
        shell.type("q")
        #expect(try await shell.ended() == TerminalProcess.End(isRestored: true, status: 0))
        try await shell.written("no marks any more") { marksPastes($0) ? nil : true }
      }
    }
  }
}
