/// Something sleeps on a ``TestClock`` at the end of a test.
public struct SuspensionError: Error, CustomStringConvertible {
  /// Creates the error.
  public init() {}

  /// What is wrong, and what to do.
  public var description: String {
    "Something still sleeps on the test clock. Advance the clock, or cancel what sleeps."
  }
}
