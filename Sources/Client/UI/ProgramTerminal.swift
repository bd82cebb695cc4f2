import TerminalCurses

extension CursesTerminal {
  private nonisolated static var environment: [String: String] {
    Environment.variables("TERM", "NO_COLOR")
  }

  /// Whether there is a terminal that can show a screen, as far as that can be told before.
  nonisolated static var isOfProgram: Bool { (try? check(environment: environment)) != nil }

  /// The terminal for a command that can do without; nil where there is none, or one that cannot
  /// show a screen.
  static func ofProgram() -> CursesTerminal? {
    do throws(TerminalError) {
      return try CursesTerminal(environment: environment)
    } catch {
      // Lines can be shown anywhere.
      return nil
    }
  }
}
