/// Tells an alert from another that says the same.
///
/// It is a reference, not a number: nothing random is needed to make one, and none is like another
/// for as long as somebody holds it.
public struct _EphemeralStateID: Hashable, Sendable {
  private final class Token: Sendable {}

  private let token = Token()

  /// Whether both are of one alert.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.token === rhs.token
  }

  /// Feeds the identity to a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(token))
  }
}

/// An id beside a value that is no part of the value: any two are equal.
struct EphemeralIdentity: Hashable, Sendable {
  let id = _EphemeralStateID()

  static func == (_: Self, _: Self) -> Bool { true }

  func hash(into _: inout Hasher) {}
}
