import StoreActor
import StoreProtocol
import StoreState

/// Replies: the sender of an action receives the reply of its reducer with the outcome, and no
/// other one.
package enum Replies {
  @Sendable package static func check(_ history: History) -> [Violation] {
    history.clients.enumerated().flatMap { check(client: $0, $1) }
  }

  private static func check(client: Int, _ records: [History.Record]) -> [Violation] {
    var scopes: [UInt64: String] = [:]
    var violations: [Violation] = []
    for record in records {
      switch record {
      case .submitted(let tag, let scope, _): scopes[tag] = scope
      case .settled(let tag, let outcome, _) where outcome.applied != nil:
        // Only the exposure of the whole list has replies.
        let expected = scopes[tag] == "list" ? tag : nil
        let reply = reply(of: outcome)
        if reply == expected { continue }
        let action = "client \(client)'s action \(tag & 0xffff_ffff)"
        let texts = [reply, expected].map { $0.map { "\($0)" } ?? "nothing" }
        violations.append(Violation("Replies", "\(action) received \(texts[0]), not \(texts[1])"))
      default: break
      }
    }
    return violations
  }

  /// Returns the value of a reply; nil if there is none.
  private static func reply(of outcome: Outcome) -> UInt64? {
    guard case .replied(let reply) = outcome else { return nil }
    return reply.value?.decoded(as: UInt64.self)
  }
}
