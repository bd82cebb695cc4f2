/// What follows from one action that was sent: its outcome, and all the work that it started.
///
/// ```swift
/// let task = store.send(.refresh)
/// await task.finish()
/// ```
///
/// An action without effects makes a task that is finished at once, and costs nothing.
public struct StoreTask: Sendable {
  private let revision: UInt64?
  private let handle: (any StoreTaskHandle)?

  /// The task of an action that has been reduced.
  package init(revision: UInt64, handle: (any StoreTaskHandle)? = nil) {
    self.revision = revision
    self.handle = handle
  }

  /// The task of an action whose outcome is not known yet.
  package init(handle: any StoreTaskHandle) {
    revision = nil
    self.handle = handle
  }

  /// Cancels all effects of the action, those of the actions that they sent too, and so on.
  public func cancel() {
    handle?.cancel()
  }

  /// Waits until all effects of the action have ended, those of the actions that they sent too.
  ///
  /// When the task that waits is cancelled, so are the effects, and their end is waited for all the
  /// same. Those of a remote store end in the daemon: while that is gone, this waits until it is
  /// back, its session is over, or the connection is closed.
  public func finish() async {
    await handle?.finish()
  }

  /// Whether ``cancel()`` was called.
  public var isCancelled: Bool {
    handle?.isCancelled ?? false
  }

  /// Waits until the action has been reduced and the result is in the store's state.
  ///
  /// In process that is so when `send` returns.
  ///
  /// - Returns: The revision that includes the action.
  /// - Throws: An ``ActionFailure`` when the action was not, or perhaps not, reduced.
  @discardableResult
  public func applied() async throws -> UInt64 {
    if let revision { return revision }
    guard let handle else { preconditionFailure("A task has neither a revision nor a handle.") }
    return try await handle.applied()
  }

  /// Whether the action was given to reducers of this process.
  package var isReducedHere: Bool { revision != nil }

  /// Whether no effects of the action are under way.
  package var isFinished: Bool {
    handle?.isFinished ?? true
  }

  /// Calls a closure once no effects of the action are under way; at once when none are.
  @MainActor
  package func whenFinished(_ body: @escaping @MainActor @Sendable () -> Void) {
    if let handle { handle.whenFinished(body) } else { body() }
  }
}

extension StoreTask {
  /// Calls a closure once it is known what became of the action; at once when it is.
  @MainActor
  package func whenSettled(_ body: @escaping @MainActor @Sendable () -> Void) {
    if revision == nil, let handle { handle.whenSettled(body) } else { body() }
  }
}

/// What a ``StoreTask`` is a face of; each kind of core has its own.
package protocol StoreTaskHandle: AnyObject, Sendable {
  var isCancelled: Bool { get }
  var isFinished: Bool { get }
  func cancel()
  /// Waits for the end, and cancels when the waiting task is cancelled.
  func finish() async
  @MainActor func whenFinished(_ body: @escaping @MainActor @Sendable () -> Void)
  /// Calls a closure with the outcome, at once when it is known.
  @MainActor func whenSettled(_ body: @escaping @MainActor @Sendable () -> Void)
  /// Waits for the outcome. Asked only of handles that were made before the outcome was known.
  func applied() async throws -> UInt64
}

extension StoreTaskHandle {
  @MainActor
  package func whenSettled(_ body: @escaping @MainActor @Sendable () -> Void) { body() }

  package func applied() async throws -> UInt64 {
    preconditionFailure("\(Self.self) was asked for an outcome that its task should have known.")
  }
}
