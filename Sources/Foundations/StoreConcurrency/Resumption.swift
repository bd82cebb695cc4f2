/// One task that waits for one call: the bridge from the client's callbacks to `async`.
///
/// The waiter is resumed once, by ``resume(with:)`` or by the cancellation of its task; later calls
/// are ignored.
@MainActor
package final class Resumption<Value: Sendable> {
  private var continuation: CheckedContinuation<Value, any Error>?

  package init() {}

  /// Whether the task waits.
  package var isWaiting: Bool { continuation != nil }

  /// Suspends until the value arrives.
  ///
  /// - Parameter begin: Arranges a call of ``resume(with:)``, now or later.
  /// - Returns: The value.
  /// - Throws: The error of that call, or `CancellationError` if the task is canceled.
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

  /// Resumes the waiting task, unless it was resumed before.
  package func resume(with result: Result<Value, any Error>) {
    continuation?.resume(with: result)
    continuation = nil
  }
}
