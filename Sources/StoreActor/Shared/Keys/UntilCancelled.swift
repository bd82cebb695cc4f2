/// Waits for what a key tells, for as long as the task is not cancelled.
///
/// - Parameter begin: Asks the key, with what is to be called; once, or again in vain.
/// - Returns: What the key tells.
/// - Throws: What the key says, or `CancellationError`.
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
