/// How strictly a ``TestStore`` wants everything asserted that a feature does.
///
/// ```swift
/// store.exhaustivity = .off
/// await store.send(.incrementButtonTapped)
/// await store.send(.incrementButtonTapped) { $0.count = 2 }
/// ```
public enum Exhaustivity: Equatable, Sendable {
  /// Every change of state, every received action and every output has to be asserted, and every
  /// effect has to end before the test does.
  case on

  /// Only what the test mentions is checked.
  ///
  /// - Parameter showSkippedAssertions: Whether to print what was not asserted.
  case off(showSkippedAssertions: Bool)

  /// Only what the test mentions is checked, and nothing is printed about the rest.
  public static let off = Self.off(showSkippedAssertions: false)
}
