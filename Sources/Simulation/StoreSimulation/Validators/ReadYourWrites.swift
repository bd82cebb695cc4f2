import StoreProtocol

/// Read your writes: when a client receives an action's outcome, its shown state includes it.
package enum ReadYourWrites {
  @Sendable package static func check(_ history: History) -> [Violation] {
    var projections = Projections(history)
    var epochs: [History.Reduction: [UInt64]] = [:]
    for epoch in history.epochs {
      for reduction in epoch.reductions { epochs[reduction, default: []].append(epoch.number) }
    }
    var violations: [Violation] = []
    for (client, records) in history.clients.enumerated() {
      var shown: History.Shown?
      for record in records {
        if case .shown(let next) = record { shown = next }
        guard case .settled(let tag, let outcome, _) = record, let shown,
          let revision = outcome.applied?.revision
        else { continue }
        let candidates = epochs[History.Reduction(revision: revision, tag: tag)] ?? []
        // A client that shows no state passes.
        let isIncluded =
          shown.scopes.isEmpty
          || candidates.contains { epoch in
            guard epoch == shown.epoch else { return false }
            // A revision that changes only other scopes is not shown.
            return projections.differing(shown, at: max(revision, shown.revision)).isEmpty
          }
        if !isIncluded {
          violations.append(
            Violation(
              "Read your writes",
              "client \(client) knew revision \(revision) and showed \(shown.revision)",
            )
          )
        }
      }
    }
    return violations
  }
}
