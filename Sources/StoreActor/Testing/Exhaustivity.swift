/// How strictly a ``TestStore`` requires assertions of a feature's behavior.
///
/// ```swift
/// store.exhaustivity = .off
/// await store.send(.incrementButtonTapped)
/// await store.send(.incrementButtonTapped) { $0.count = 2 }
/// ```
public enum Exhaustivity: Equatable, Sendable {
  /// Every change of state, every received action and every output must be asserted, and every
  /// effect must end before the test does.
  case on

  /// Only the assertions of the test are checked.
  ///
  /// - Parameter showSkippedAssertions: Whether to print changes that were not asserted.
  case off(showSkippedAssertions: Bool)

  /// Only the assertions of the test are checked, and the rest is not printed.
  public static let off = Self.off(showSkippedAssertions: false)
}
