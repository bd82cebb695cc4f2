/// Captures the current dependencies for code outside of the current task.
///
/// ```swift
/// withEscapedDependencies { dependencies in
///   onMessage { message in
///     dependencies.yield { handle(message) }
///   }
/// }
/// ```
///
/// - Parameter operation: Receives the continuation, which applies the captured values.
/// - Returns: The operation's result.
public func withEscapedDependencies<R>(
  _ operation: (DependencyValues.Continuation) throws -> R
) rethrows -> R {
  try operation(DependencyValues.Continuation())
}

/// Captures the current dependencies for code outside of the current task.
public func withEscapedDependencies<R>(
  isolation: isolated (any Actor)? = #isolation,
  _ operation: (DependencyValues.Continuation) async throws -> R,
) async rethrows -> R {
  try await operation(DependencyValues.Continuation())
}

extension DependencyValues {
  /// Dependencies captured by ``withEscapedDependencies(_:)``.
  public struct Continuation: Sendable {
    private let values = DependencyValues._current

    init() {}

    /// Runs an operation with the captured dependencies.
    public func yield<R>(_ operation: () throws -> R) rethrows -> R {
      try withDependencies {
        $0 = values
      } operation: {
        try operation()
      }
    }

    /// Runs an asynchronous operation with the captured dependencies.
    public func yield<R>(
      isolation: isolated (any Actor)? = #isolation,
      _ operation: () async throws -> R,
    ) async rethrows -> R {
      try await withDependencies {
        $0 = values
      } operation: {
        try await operation()
      }
    }
  }
}
