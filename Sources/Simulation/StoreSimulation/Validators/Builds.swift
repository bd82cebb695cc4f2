import StoreProtocol

/// Builds understand each other, or say why not: what a client's build cannot read is refused with
/// the fields that differ and never shown, everything else is not refused, and of outputs only
/// those are left out whose case is unknown.
package enum Builds {
  @Sendable package static func check(_ history: History) -> [Violation] {
    var violations: [Violation] = []
    func violate(_ what: String) { violations.append(Violation("Builds", what)) }
    // Who follows more than it may is told so.
    for refusal in history.refusals where refusal.failure.code != "tooManyScopes" {
      guard history.mayHave(refusal.client, refusal.scope) else { continue }
      let text = "client \(refusal.client) was refused \(refusal.scope)"
      if refusal.isReadable {
        violate("\(text): \(refusal.failure.message) \(refusal.failure.details)")
      } else if refusal.failure.details.isEmpty {
        violate("\(text) without a word of what differs")
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
