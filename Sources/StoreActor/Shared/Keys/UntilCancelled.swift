/// Waits for a key's answer until the task is cancelled.
///
/// - Parameter begin: Sends the request, with the function to call. Only its first call has
///   an effect.
/// - Returns: The key's answer.
/// - Throws: The key's error, or `CancellationError`.
func untilCancelled<Value: Sendable>(
  _ begin: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
) async throws -> Value {
  let waiting = LockIsolated<CheckedContinuation<Value, any Error>?>(nil)
  let finish: @Sendable (Result<Value, any Error>) -> Void = { result in
    let continuation = waiting.withValue { waiting in
      defer { waiting = nil }
      return waiting
    }
    continuation?.resume(with: result)
  }
  return try await withTaskCancellationHandler {
    try await withCheckedThrowingContinuation { continuation in
      waiting.setValue(continuation)
      begin(finish)
      if Task.isCancelled { finish(.failure(CancellationError())) }
    }
  } onCancel: {
    finish(.failure(CancellationError()))
  }
}
