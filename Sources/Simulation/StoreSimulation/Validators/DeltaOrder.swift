/// Ordered, unique, reliable: a replica's revisions increase.
///
/// The revisions that a client shows never decrease within an epoch, and its epochs never go back.
package enum DeltaOrder {
  @Sendable package static func check(_ history: History) -> [Violation] {
    history.clients.enumerated().flatMap { check($0, $1, history) }
  }

  private static func check(
    _ client: Int,
    _ records: [History.Record],
    _ history: History,
  ) -> [Violation] {
    var violations: [Violation] = []
    var ofReplica: [Int: UInt64] = [:]
    var shown: History.Shown?
    func violate(_ what: String) {
      violations.append(Violation("Ordered", "client \(client): \(what)"))
    }
    for record in records {
      switch record {
      case .reset(let replica, _, let revision):
        // A snapshot may belong to another epoch, whose revisions start again.
        ofReplica[replica] = revision
      case .applied(let replica, let scope, let revision):
        guard let last = ofReplica[replica] else {
          violate("\(scope) took a delta before a snapshot")
          continue
        }
        if revision <= last { violate("\(scope) took revision \(revision) after \(last)") }
        ofReplica[replica] = revision
      case .shown(let next):
        if let shown, let problem = problem(shown, next, history) { violate(problem) }
        shown = next
      default: break
      }
    }
    return violations
  }

  private static func problem(
    _ before: History.Shown,
    _ after: History.Shown,
    _ history: History,
  ) -> String? {
    if before.epoch == after.epoch {
      return after.revision < before.revision
        ? "showed revision \(after.revision) after \(before.revision)" : nil
    }
    return history.order(of: after.epoch) < history.order(of: before.epoch)
      ? "showed an earlier epoch after a later one" : nil
  }
}
