/// Every wait ends once, and within its time.
package enum WaitsEnd {
  @Sendable package static func check(_ history: History) -> [Violation] {
    var violations: [Violation] = []
    for (client, records) in history.clients.enumerated() {
      for case .overdue(let wait) in records {
        violations.append(
          Violation("Waits end", "client \(client)'s wait \(wait) did not end once, in its time")
        )
      }
    }
    return violations
  }
}

/// At rest no scope is joined that nobody holds.
package enum Holding {
  @Sendable package static func check(_ history: History) -> [Violation] {
    history.unheld.map { Violation("Held", "client \($0.client) still joins \($0.scope)") }
  }
}
