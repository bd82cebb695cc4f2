/// What a daemon promises of a change that it has told somebody of.
public enum Durability: String, CaseIterable, Hashable, Sendable {
  /// Nothing takes it back: it was on the disk before anybody learned of it.
  case full
  /// The end of the process does not take it back; that of the machine may take the last second.
  case batched
  /// The end of the process does not take it back; that of the machine may take anything.
  case none

  /// What SQLite calls it, and the number under which it says so.
  var synchronous: (name: String, value: Int) {
    switch self {
    case .full: ("FULL", 2)
    case .batched: ("NORMAL", 1)
    case .none: ("OFF", 0)
    }
  }
}
