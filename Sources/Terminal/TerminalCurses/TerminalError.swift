/// Why views cannot be shown on the program's terminal.
public enum TerminalError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Input or output is no terminal.
  case noTerminal
  /// The terminal is of a kind that is not known, or whose cursor cannot be moved.
  case unusable(String)
  /// The system lacks something, or failed.
  case failed(String)

  /// What was wrong, what was expected and what to do.
  public var description: String {
    switch self {
    case .noTerminal:
      "Standard input and output have to be a terminal. Start it in one, without pipes."
    case .unusable(""):
      "TERM is not set, so the terminal's kind is not known. Set it, such as to xterm-256color."
    case .unusable(let name):
      "A terminal of kind \"\(name)\" (TERM) cannot show a screen. Use one that can, such as xterm."
    case .failed(let reason): reason
    }
  }
}
