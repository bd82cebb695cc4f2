/// The consequences of one sent action: its outcome, and all the work that it started.
///
/// ```swift
/// let task = store.send(.loadButtonTapped)
/// await task.finish()
/// ```
///
/// The task of an action without effects is finished at once and has no cost.
public struct StoreTask: Sendable {
  private enum Kind {
    /// The revision that includes the action, and its effects, if any.
    case reduced(UInt64, (any StoreTaskHandle)?)
    /// The same, for an action that is queued after the action in progress.
    case queued(QueuedTask, KeptRevisions?)
    /// The same as the first case, with the reply of the reducer, or with the journal to wait for.
    case detailed(ReducedTask)
    /// Why a reducer has refused the action.
    case refused(Refusal)
    case sent(any SentTaskHandle)
  }

  private let kind: Kind

  /// The task of an action that has been reduced.
  package init(
    revision: UInt64,
    handle: (any StoreTaskHandle)? = nil,
    reply: ActionReply? = nil,
  ) {
    guard let reply else {
      kind = .reduced(revision, handle)
      return
    }
    let action = AppliedAction(revision: revision, reply: reply)
    kind = .detailed(ReducedTask(action, handle: handle, kept: nil))
  }

  /// The task of an action that is queued after the action in progress.
  init(queued task: QueuedTask) { kind = .queued(task, nil) }

  /// The task of an action that a reducer has refused.
  init(refused refusal: Refusal) { kind = .refused(refusal) }

  /// The task of an action whose outcome is not known yet.
  package init(handle: any SentTaskHandle) { kind = .sent(handle) }

  private init(_ kind: Kind) { self.kind = kind }

  /// The same task, whose ``applied()`` also waits until the revision is durable.
  func recorded(in kept: KeptRevisions) -> StoreTask {
    switch kind {
    case .reduced(let revision, let handle):
      let action = AppliedAction(revision: revision)
      return StoreTask(.detailed(ReducedTask(action, handle: handle, kept: kept)))
    case .detailed(let task):
      return StoreTask(.detailed(ReducedTask(task.action, handle: task.handle, kept: kept)))
    case .queued(let task, _): return StoreTask(.queued(task, kept))
    case .refused, .sent: return self
    }
  }

  private var handle: (any StoreTaskHandle)? {
    switch kind {
    case .reduced(_, let handle): handle
    case .queued(let task, _): task
    case .detailed(let task): task.handle
    case .refused: nil
    case .sent(let handle): handle
    }
  }

  /// Cancels all effects of the action, those of the actions that they sent, and so on.
  public func cancel() {
    handle?.cancel()
  }

  /// Waits until all effects of the action, and of the actions that they sent, have ended.
  ///
  /// If the waiting task is cancelled, the effects are cancelled too, and this still waits for
  /// their end. Effects of a remote store end in the daemon: while that is unreachable, this waits
  /// until it is reachable again, its session has ended, or the connection is closed.
  public func finish() async {
    await handle?.finish()
  }

  /// Whether ``cancel()`` was called.
  public var isCancelled: Bool {
    handle?.isCancelled ?? false
  }

  /// Waits until the action has been reduced and the result is in the store's state.
  ///
  /// In process that is the case when `send` returns. In a daemon with a journal, whose own store
  /// also shows revisions that are not durable yet, it waits for the journal too.
  ///
  /// - Returns: The revision that includes the action.
  /// - Throws: An ``ActionFailure`` if the action was not, or perhaps not, reduced, or if the
  ///   journal was closed before it had the action. `CancellationError` if the waiting task is
  ///   cancelled before.
  @discardableResult
  public func applied() async throws -> UInt64 {
    try await appliedAction().revision
  }

  /// Waits as ``applied()`` does, and returns the reducer's reply, too.
  package func appliedAction() async throws -> AppliedAction {
    switch kind {
    case .reduced(let revision, _): return AppliedAction(revision: revision)
    case .queued(let task, let kept):
      let action = try await task.applied()
      try await kept?.wait(for: action.revision)
      return action
    case .refused(let refusal): throw ActionFailure(refusal)
    case .detailed(let task):
      try await task.kept?.wait(for: task.action.revision)
      return task.action
    case .sent(let handle): return try await handle.applied()
    }
  }

  /// The outcome, if the action has been reduced in this process.
  var outcome: Result<AppliedAction, ActionFailure>? {
    switch kind {
    case .reduced(let revision, _): .success(AppliedAction(revision: revision))
    case .detailed(let task): .success(task.action)
    case .refused(let refusal): .failure(ActionFailure(refusal))
    case .queued, .sent: nil
    }
  }

  /// Whether the action was sent to reducers of this process.
  package var isReducedHere: Bool { if case .sent = kind { false } else { true } }

  /// Why a reducer of this process has refused the action; nil if it was not refused, or if its
  /// outcome is not known yet.
  package var refusal: Refusal? { if case .refused(let refusal) = kind { refusal } else { nil } }

  /// Whether a reducer of this process has refused the action: a check without a copy.
  package var isRefused: Bool { if case .refused = kind { true } else { false } }

  /// Whether the action was queued for reducers of this process when it was sent.
  var isQueued: Bool {
    switch kind {
    case .queued: true
    case .detailed, .reduced, .refused, .sent: false
    }
  }

  /// Whether no effects of the action are running.
  package var isFinished: Bool {
    handle?.isFinished ?? true
  }

  /// Calls a closure when no effects of the action are running, which may be at once.
  @MainActor
  package func whenFinished(_ body: @escaping @MainActor @Sendable () -> Void) {
    if let handle { handle.whenFinished(body) } else { body() }
  }
}

extension StoreTask {
  /// Calls a closure when the outcome of the action is known, which may be at once.
  @MainActor
  package func whenSettled(_ body: @escaping @MainActor @Sendable () -> Void) {
    if case .sent(let handle) = kind { handle.whenSettled(body) } else { body() }
  }
}

/// The implementation of a ``StoreTask``; each kind of core has its own.
package protocol StoreTaskHandle: AnyObject, Sendable {
  var isCancelled: Bool { get }
  var isFinished: Bool { get }
  func cancel()
  /// Waits for the end; a cancellation of the waiting task cancels the effects.
  func finish() async
  @MainActor func whenFinished(_ body: @escaping @MainActor @Sendable () -> Void)
}

/// The implementation of a ``StoreTask`` whose outcome is not known when `send` returns.
package protocol SentTaskHandle: StoreTaskHandle {
  /// Calls a closure when the outcome is known, which may be at once.
  @MainActor func whenSettled(_ body: @escaping @MainActor @Sendable () -> Void)
  /// Waits for the outcome.
  func applied() async throws -> AppliedAction
}
