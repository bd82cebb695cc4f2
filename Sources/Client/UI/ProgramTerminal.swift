import TerminalCurses

extension CursesTerminal {
  private nonisolated static var environment: [String: String] {
    Environment.variables("TERM", "NO_COLOR")
  }

  /// Whether there is a terminal that can probably show a screen.
  nonisolated static var isOfProgram: Bool { (try? check(environment: environment)) != nil }

  /// The terminal for a command that works without one, too; nil if it is absent or cannot show
  /// a screen.
  static func ofProgram() -> CursesTerminal? {
    do throws(TerminalError) {
      return try CursesTerminal(environment: environment)
    } catch {
      // The command then prints lines.
      return nil
    }
  }
}
