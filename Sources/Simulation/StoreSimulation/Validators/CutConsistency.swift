/// Atomic and cut-consistent: all scopes that a client shows equal the daemon's state at one
/// revision, never half of an action.
package enum CutConsistency {
  @Sendable package static func check(_ history: History) -> [Violation] {
    var projections = Projections(history)
    var violations: [Violation] = []
    for (client, records) in history.clients.enumerated() {
      for case .shown(let shown) in records {
        let differing = projections.differing(shown, at: shown.revision)
        guard !differing.isEmpty else { continue }
        violations.append(
          Violation(
            "Cut-consistent",
            "client \(client) showed wrong values of \(differing) at revision \(shown.revision)",
          )
        )
      }
    }
    return violations
  }
}
