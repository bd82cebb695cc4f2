/// Which revisions of a daemon's own store are durable, for those who wait until one is.
@MainActor
package final class KeptRevisions {
  /// All up to this one are.
  private var newest: UInt64
  /// Why no further one will be; nil as long as they may.
  private var problem: String?
  /// Who waits, and for which revision.
  private var waiting: [(revision: UInt64, resumption: Resumption<Void>)] = []

  /// All revisions up to one are durable.
  package init(through revision: UInt64) { newest = revision }

  /// All revisions up to one are durable from now on.
  package func keep(through revision: UInt64) {
    newest = revision
    if waiting.isEmpty { return }
    for waiter in waiting where waiter.revision <= revision {
      waiter.resumption.resume(with: .success(()))
    }
    waiting.removeAll { !$0.resumption.isWaiting }
  }

  /// Nothing is kept any more.
  ///
  /// - Parameter problem: Why.
  package func end(_ problem: String) {
    self.problem = self.problem ?? problem
    let waiting = waiting
    self.waiting = []
    for (revision, resumption) in waiting {
      resumption.resume(with: .failure(failure(of: revision)))
    }
  }

  /// Waits until a revision is durable.
  ///
  /// - Throws: An ``ActionFailure`` when it may never be; `CancellationError` when the task is
  ///   cancelled.
  func wait(for revision: UInt64) async throws {
    if revision <= newest { return }
    if problem != nil { throw failure(of: revision) }
    try await Resumption<Void>().value { waiting.append((revision, $0)) }
  }

  private func failure(of revision: UInt64) -> ActionFailure {
    ActionFailure(
      code: .outcomeUnknown,
      message: "The action was applied, and may not be kept. \(problem ?? "")",
      remedy: "Look at the state when the daemon has started again to see whether it was.",
      revision: revision,
    )
  }
}

/// An action that a daemon's own store has reduced, and its journal has still to keep.
final class RecordedTask: Sendable {
  let revision: UInt64
  let handle: (any StoreTaskHandle)?
  let kept: KeptRevisions
  /// Whether the action waited for reducers when it was sent.
  let isQueued: Bool

  init(
    revision: UInt64,
    handle: (any StoreTaskHandle)?,
    kept: KeptRevisions,
    isQueued: Bool = false,
  ) {
    self.isQueued = isQueued
    self.revision = revision
    self.handle = handle
    self.kept = kept
  }
}
