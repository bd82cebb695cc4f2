/// The round trip of a state to its wire form and back, in a test that states the expected copy:
/// its shared values keep their sources.
///
/// Both forms have the same values in the same order.
///
/// Sendable because only its creator uses it.
package final class SharedRoundTrip: @unchecked Sendable {
  @TaskLocal static var current: SharedRoundTrip?

  /// The encoded contents in order; those from `arrived` on are not decoded yet.
  private var underWay: [any Sendable] = []
  private var arrived = 0

  private init() {}

  /// Runs an operation that encodes a state and decodes it again.
  ///
  /// - Parameter operation: The operation.
  /// - Returns: The operation's result.
  /// - Throws: The operation's error.
  package static func take<R, Failure: Error>(
    _ operation: () throws(Failure) -> R
  ) throws(Failure) -> R {
    let result = $current.withValue(SharedRoundTrip()) { Result(catching: operation) }
    return try result.get()
  }

  func leave<Value: Sendable>(_ content: SharedContent<Value>) {
    underWay.append(UncheckedSendable(content))
  }

  func arrive<Value: Sendable>(_ value: Value) -> SharedContent<Value>? {
    guard arrived < underWay.count else { return nil }
    defer { arrived += 1 }
    guard let left = underWay[arrived] as? UncheckedSendable<SharedContent<Value>> else {
      return nil
    }
    var content = left.wrappedValue
    content.replace(with: value)
    return content
  }
}
