/// What follows from one action that was sent: its outcome, and all the work that it started.
///
/// ```swift
/// let task = store.send(.loadButtonTapped)
/// await task.finish()
/// ```
///
/// An action without effects makes a task that is finished at once, and costs nothing.
public struct StoreTask: Sendable {
  private enum Kind {
    /// The revision that includes the action, and its effects where it has any.
    case reduced(UInt64, (any StoreTaskHandle)?)
    /// The same, of an action that waits until the reducers are done with another one.
    case queued(UInt64, any StoreTaskHandle)
    case recorded(RecordedTask)
    case sent(any SentTaskHandle)
  }

  private let kind: Kind

  /// The task of an action that has been reduced.
  package init(revision: UInt64, handle: (any StoreTaskHandle)? = nil) {
    kind = .reduced(revision, handle)
  }

  /// The task of an action that waits until the reducers are done with another one.
  init(queuedFor revision: UInt64, handle: any StoreTaskHandle) {
    kind = .queued(revision, handle)
  }

  /// The task of an action whose outcome is not known yet.
  package init(handle: any SentTaskHandle) { kind = .sent(handle) }

  private init(_ kind: Kind) { self.kind = kind }

  /// The same task, for those who wait until what it reduced is durable.
  func recorded(in kept: KeptRevisions) -> StoreTask {
    switch kind {
    case .reduced(let revision, let handle):
      StoreTask(.recorded(RecordedTask(revision: revision, handle: handle, kept: kept)))
    case .queued(let revision, let handle):
      StoreTask(
        .recorded(
          RecordedTask(revision: revision, handle: handle, kept: kept, isQueued: true)
        )
      )
    case .recorded, .sent: self
    }
  }

  private var handle: (any StoreTaskHandle)? {
    switch kind {
    case .reduced(_, let handle): handle
    case .queued(_, let handle): handle
    case .recorded(let task): task.handle
    case .sent(let handle): handle
    }
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
  /// In process that is so when `send` returns. In a daemon that keeps its state, whose own store
  /// shows what its journal does not have yet, it waits for the journal as well.
  ///
  /// - Returns: The revision that includes the action.
  /// - Throws: An ``ActionFailure`` when the action was not, or perhaps not, reduced; also when the
  ///   journal was closed before it had the action.
  @discardableResult
  public func applied() async throws -> UInt64 {
    switch kind {
    case .reduced(let revision, _), .queued(let revision, _): return revision
    case .recorded(let task):
      try await task.kept.wait(for: task.revision)
      return task.revision
    case .sent(let handle): return try await handle.applied()
    }
  }

  /// Whether the action was given to reducers of this process.
  package var isReducedHere: Bool { if case .sent = kind { false } else { true } }

  /// Whether the action waited for reducers of this process when it was sent.
  var isQueued: Bool {
    switch kind {
    case .queued: true
    case .recorded(let task): task.isQueued
    case .reduced, .sent: false
    }
  }

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
    if case .sent(let handle) = kind { handle.whenSettled(body) } else { body() }
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
}

/// What a ``StoreTask`` is a face of whose outcome was not known when the action was sent.
package protocol SentTaskHandle: StoreTaskHandle {
  /// Calls a closure once the outcome is known, at once when it is.
  @MainActor func whenSettled(_ body: @escaping @MainActor @Sendable () -> Void)
  /// Waits for the outcome.
  func applied() async throws -> UInt64
}
