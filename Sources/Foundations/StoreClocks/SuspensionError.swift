/// The error of a test that ends while a task sleeps on a ``TestClock``.
public struct SuspensionError: Error, CustomStringConvertible {
  /// Creates the error.
  public init() {}

  /// The fault and its remedy.
  public var description: String {
    "Something still sleeps on the test clock. Advance the clock, or cancel what sleeps."
  }
}
