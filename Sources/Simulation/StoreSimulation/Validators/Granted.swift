import StoreProtocol

/// Granted: a client sees and changes only the granted scopes; all others do not exist for it.
package enum Granted {
  @Sendable package static func check(_ history: History) -> [Violation] {
    var violations: [Violation] = []
    func violate(_ client: Int, _ what: String) {
      violations.append(Violation("Granted", "client \(client) \(what)"))
    }
    for (client, _) in history.granted.sorted(by: { $0.key < $1.key }) {
      var scopes: [UInt64: String] = [:]
      for record in history.clients[client] {
        switch record {
        case .reset(_, let scope, _), .applied(_, let scope, _), .heard(_, let scope, _, _, _):
          if !history.mayHave(client, scope) { violate(client, "received \(scope)") }
        case .submitted(let tag, let scope, _): scopes[tag] = scope
        case .settled(let tag, let outcome, _) where outcome.applied != nil:
          if let scope = scopes[tag], !history.mayHave(client, scope) {
            violate(client, "changed \(scope)")
          }
        default: break
        }
      }
    }
    for refusal in history.refusals where !history.mayHave(refusal.client, refusal.scope) {
      let failure = refusal.failure
      if failure.code != "unknownScope", failure.code != "tooManyScopes" {
        violate(refusal.client, "knows of \(refusal.scope): \(failure.code)")
      }
      for name in failure.details where !history.mayHave(refusal.client, name) {
        violate(refusal.client, "received the name \(name)")
      }
    }
    return violations
  }
}
