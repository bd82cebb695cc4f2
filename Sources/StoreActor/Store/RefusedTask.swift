import IssueReporting

/// The task of an action that a reducer has refused.
package final class RefusedTask: StoreTaskHandle {
  package let refusal: Refusal

  package init(_ refusal: Refusal) { self.refusal = refusal }

  package var isCancelled: Bool { false }
  package var isFinished: Bool { true }

  package func cancel() {}

  package func finish() async {}

  @MainActor
  package func whenFinished(_ body: @escaping @MainActor @Sendable () -> Void) { body() }
}

/// The task of an action that was sent while another one was being reduced or committed.
package final class QueuedTask: StoreTaskHandle {
  private let lineage: EffectLineage
  /// The action's revision, or why it has none; nil until it was reduced.
  @MainActor private var outcome: Result<UInt64, ActionFailure>?
  @MainActor private var waiting: [Resumption<UInt64>] = []

  init(_ lineage: EffectLineage) { self.lineage = lineage }

  package var isCancelled: Bool { lineage.isCancelled }
  package var isFinished: Bool { lineage.isFinished }

  package func cancel() { lineage.cancel() }

  package func finish() async { await lineage.finish() }

  @MainActor
  package func whenFinished(_ body: @escaping @MainActor @Sendable () -> Void) {
    lineage.whenFinished(body)
  }

  @MainActor
  func settle(_ outcome: Result<UInt64, ActionFailure>) {
    self.outcome = outcome
    let waiting = waiting
    self.waiting = []
    for waiter in waiting { waiter.resume(with: outcome.mapError { $0 }) }
  }

  /// Waits until the action was reduced.
  @MainActor
  func revision() async throws -> UInt64 {
    if let outcome { return try outcome.get() }
    return try await Resumption<UInt64>().value { waiting.append($0) }
  }
}

/// Refusals of actions whose senders are not notified.
package struct UnansweredRefusals {
  /// The number of refused actions.
  package private(set) var count = 0
  /// The last refusal; nil if there is none.
  package private(set) var last: Refusal?

  mutating func note(_ refusal: Refusal) {
    count += 1
    last = refusal
  }
}

extension ActionFailure {
  /// The failure of a refused action.
  package init(_ refusal: Refusal) {
    self.init(code: .refused, message: refusal.reason, remedy: "", refusal: refusal)
  }

  /// The failure of an action that was queued in a batch that was abandoned.
  static var abandoned: Self {
    Self(
      code: .absent,
      message: "The action was sent while another one was being reduced, whose target is absent.",
      remedy: "It was not applied. Send it after the other action.",
    )
  }
}

/// Reports a refusal that has no effect, because its action cannot be refused any more.
func reportLateRefusal(_ refusal: Refusal) {
  reportIssue(
    """
    An action was refused too late: "\(refusal.reason)". Its changes were taken back, but the \
    revision to which it belongs was not refused.

    Only the action that begins a revision, and actions that follow from it by "Effect.send", can \
    be refused. An action of "onRestored", and one that is sent because other work was cancelled, \
    cannot.

    To fix, return ".none" for such an action.
    """
  )
}
