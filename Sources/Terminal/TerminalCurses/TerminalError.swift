/// The reason why the program's terminal cannot show views.
public enum TerminalError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Input or output is no terminal.
  case noTerminal
  /// The terminal's kind is unknown, or its cursor cannot be moved.
  case unusable(String)
  /// A system call failed, for the given reason.
  case failed(String)

  /// The fault, the expectation and the remedy.
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
