/// The task of an action that was sent while another one was being reduced or committed.
package final class QueuedTask: StoreTaskHandle {
  private let lineage: EffectLineage
  /// The action's revision and reply, or why it has none; nil until it was reduced.
  @MainActor private var outcome: Result<AppliedAction, ActionFailure>?
  @MainActor private var waiting: [Resumption<AppliedAction>] = []

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
  func settle(_ outcome: Result<AppliedAction, ActionFailure>) {
    self.outcome = outcome
    let waiting = waiting
    self.waiting = []
    for waiter in waiting { waiter.resume(with: outcome.mapError { $0 }) }
  }

  /// Waits until the action was reduced.
  @MainActor
  func applied() async throws -> AppliedAction {
    if let outcome { return try outcome.get() }
    return try await Resumption<AppliedAction>().value { waiting.append($0) }
  }
}
