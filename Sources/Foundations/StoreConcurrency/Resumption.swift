/// One task that waits for one call: the bridge from the client's callbacks to `async`.
///
/// Whoever waits is resumed once, by the first of ``resume(with:)`` and the cancellation of its
/// task; what comes later is ignored.
@MainActor
package final class Resumption<Value: Sendable> {
  private var continuation: CheckedContinuation<Value, any Error>?

  package init() {}

  /// Whether the task waits.
  package var isWaiting: Bool { continuation != nil }

  /// Suspends until the value arrives.
  ///
  /// - Parameter begin: Arranges for ``resume(with:)`` to be called, now or later.
  /// - Returns: The value.
  /// - Throws: What the call brings, or `CancellationError` when the task is canceled.
  package func value(
    _ begin: @MainActor (Resumption<Value>) -> Void
  ) async throws -> Value {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        self.continuation = continuation
        if Task.isCancelled { resume(with: .failure(CancellationError())) } else { begin(self) }
      }
    } onCancel: {
      Task { @MainActor in self.resume(with: .failure(CancellationError())) }
    }
  }

  /// Resumes the task that waits, unless it was resumed before.
  package func resume(with result: Result<Value, any Error>) {
    continuation?.resume(with: result)
    continuation = nil
  }
}
