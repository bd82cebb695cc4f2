/// The round trip of a state into its wire form and back, in a test that says what the copy is to
/// become: its shared values are still known by where they come from.
///
/// Both forms have the same values in the same order.
///
/// Sendable because it is used by the one who makes it.
package final class SharedRoundTrip: @unchecked Sendable {
  @TaskLocal static var current: SharedRoundTrip?

  /// What has left and not arrived yet.
  private var underWay: [any Sendable] = []
  private var arrived = 0

  private init() {}

  /// Runs an operation that encodes a state and decodes it again.
  ///
  /// - Parameter operation: The operation.
  /// - Returns: What the operation returns.
  /// - Throws: What the operation throws.
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
