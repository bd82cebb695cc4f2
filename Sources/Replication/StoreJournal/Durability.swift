/// A daemon's promise for a change of which it has notified a client.
public enum Durability: String, CaseIterable, Hashable, Sendable {
  /// The change survives any crash: it was on the disk before a client was notified.
  case full
  /// A crash of the process loses no change; a crash of the machine may lose the last second.
  case batched
  /// A crash of the process loses no change; a crash of the machine may lose any change.
  case none
}
