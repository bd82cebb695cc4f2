import StoreActor

/// A handle of a sent action's effects.
public struct SendTask: Sendable {
  package let task: StoreTask?

  /// Waits until all effects of the action have ended.
  public func wait() async {
    await task?.finish()
  }

  /// Waits until the action has been reduced.
  ///
  /// - Throws: An ``ActionFailure`` if the reducer refused the action.
  public func applied() async throws {
    try await task?.applied()
  }

  /// Cancels all effects of the action.
  public func cancel() {
    task?.cancel()
  }
}
