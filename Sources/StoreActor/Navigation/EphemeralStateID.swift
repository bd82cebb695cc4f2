/// Distinguishes an alert from another one with the same text.
///
/// It is a reference, not a number: its creation needs no random value, and it is unique for as
/// long as it is held.
public struct _EphemeralStateID: Hashable, Sendable {
  private final class Token: Sendable {}

  private let token = Token()

  /// Whether both identify one alert.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.token === rhs.token
  }

  /// Feeds the identity to a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(token))
  }
}

/// An id beside a value that is not a part of the value: any two are equal.
struct EphemeralIdentity: Hashable, Sendable {
  let id = _EphemeralStateID()

  static func == (_: Self, _: Self) -> Bool { true }

  func hash(into _: inout Hasher) {}
}
