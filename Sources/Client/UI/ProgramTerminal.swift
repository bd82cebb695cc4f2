import TerminalCurses

extension CursesTerminal {
  /// The terminal for a command that can do without; nil where there is none, or one that cannot
  /// show a screen.
  static func ofProgram() -> CursesTerminal? {
    do throws(TerminalError) {
      return try CursesTerminal(environment: Environment.variables("TERM", "NO_COLOR"))
    } catch {
      // Lines can be shown anywhere.
      return nil
    }
  }
}
