/// What a daemon promises of a change that it has told somebody of.
public enum Durability: String, CaseIterable, Hashable, Sendable {
  /// Nothing takes it back: it was on the disk before anybody learned of it.
  case full
  /// The end of the process does not take it back; that of the machine may take the last second.
  case batched
  /// The end of the process does not take it back; that of the machine may take anything.
  case none
}
