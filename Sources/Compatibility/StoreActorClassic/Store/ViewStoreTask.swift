package import StoreActor

/// A handle of the effects of an action that a view sent.
public struct ViewStoreTask: Sendable {
  package let rawValue: StoreTask

  init(task: StoreTask) {
    rawValue = task
  }

  /// Cancels all effects of the action, and waits until they have ended.
  public func cancel() async {
    rawValue.cancel()
    await rawValue.finish()
  }

  /// Waits until all effects of the action have ended.
  ///
  /// Cancellation of the waiting task cancels the effects.
  public func finish() async {
    await rawValue.finish()
  }

  /// Whether ``cancel()`` was called.
  public var isCancelled: Bool {
    rawValue.isCancelled
  }
}
