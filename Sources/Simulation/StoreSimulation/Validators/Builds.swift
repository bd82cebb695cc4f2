import StoreProtocol

/// Builds are compatible, or report their differences.
///
/// A scope that a client's build cannot read is refused with the differing fields, and never shown;
/// no other scope is refused. Only outputs of unknown cases are omitted.
package enum Builds {
  @Sendable package static func check(_ history: History) -> [Violation] {
    var violations: [Violation] = []
    func violate(_ what: String) { violations.append(Violation("Builds", what)) }
    // A client that follows too many scopes is refused for that reason.
    for refusal in history.refusals where refusal.failure.code != "tooManyScopes" {
      guard history.mayHave(refusal.client, refusal.scope) else { continue }
      let text = "client \(refusal.client) was refused \(refusal.scope)"
      if refusal.isReadable {
        violate("\(text): \(refusal.failure.message) \(refusal.failure.details)")
      } else if refusal.failure.details.isEmpty {
        violate("\(text) without the differing fields")
      }
    }
    for ending in history.endings where !ending.isReadable {
      violate("client \(ending.client) follows \(ending.scope), which it cannot read")
    }
    for (client, records) in history.clients.enumerated() {
      for case .outputsLeftOut(let scope, let reason) in records
      where !reason.contains("no \"faded\" here") {
        violate("client \(client) leaves out outputs of \(scope): \(reason)")
      }
    }
    return violations
  }
}
