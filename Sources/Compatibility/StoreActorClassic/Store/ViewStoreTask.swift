package import StoreActor

/// What follows from an action that a view sent.
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
  /// When the task that waits is cancelled, so are the effects.
  public func finish() async {
    await rawValue.finish()
  }

  /// Whether ``cancel()`` was called.
  public var isCancelled: Bool {
    rawValue.isCancelled
  }
}
