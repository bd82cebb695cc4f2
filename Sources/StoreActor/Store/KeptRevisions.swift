/// The durable revisions of a daemon's own store, and the waiters for later ones.
@MainActor
package final class KeptRevisions {
  /// All revisions up to this one are durable.
  private var newest: UInt64
  /// The reason why no further revision becomes durable; nil while they may.
  private var problem: String?
  /// The waiters and their revisions.
  private var waiting: [(revision: UInt64, resumption: Resumption<Void>)] = []

  /// Creates the record.
  ///
  /// All revisions up to one are durable.
  package init(through revision: UInt64) { newest = revision }

  /// Marks all revisions up to one as durable and resumes their waiters.
  package func keep(through revision: UInt64) {
    newest = revision
    if waiting.isEmpty { return }
    for waiter in waiting where waiter.revision <= revision {
      waiter.resumption.resume(with: .success(()))
    }
    waiting.removeAll { !$0.resumption.isWaiting }
  }

  /// Ends the waiting: no further revision becomes durable.
  ///
  /// - Parameter problem: The reason.
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
  /// - Throws: An ``ActionFailure`` if it may never be; `CancellationError` if the task
  ///   is cancelled.
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
