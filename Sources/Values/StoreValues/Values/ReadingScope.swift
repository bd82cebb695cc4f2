/// Whether values are read from bytes right now.
///
/// A state that is read begins with the defaults of its properties. Those must not do anything
/// outside of the process: the bytes replace them, and the state may be a copy of one elsewhere.
@usableFromInline
package enum ReadingScope {
  @TaskLocal private static var isOpen = false

  /// Whether this code runs while values are read from bytes.
  package static var isCurrent: Bool { isOpen }

  /// Runs an operation that reads values from bytes.
  ///
  /// - Parameter operation: The operation.
  /// - Returns: What the operation returns.
  /// - Throws: What the operation throws.
  @usableFromInline
  package static func run<R, Failure: Error>(
    _ operation: () throws(Failure) -> R
  ) throws(Failure) -> R {
    if isOpen { return try operation() }
    let result = $isOpen.withValue(true) { Result(catching: operation) }
    return try result.get()
  }
}
