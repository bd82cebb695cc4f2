/// Every wait ends once, within its time, and does not time out earlier.
package enum WaitsEnd {
  @Sendable package static func check(_ history: History) -> [Violation] {
    var violations: [Violation] = []
    for (client, records) in history.clients.enumerated() {
      for record in records {
        let what =
          switch record {
          case .overdue(let wait): "\(wait) did not end exactly once before its deadline"
          case .hasty(let wait): "\(wait) timed out before its deadline"
          default: ""
          }
        guard !what.isEmpty else { continue }
        violations.append(Violation("Waits end", "client \(client)'s wait \(what)"))
      }
    }
    return violations
  }
}

/// In an undisturbed run, awaited conditions are met.
package enum WaitsSucceed {
  @Sendable package static func check(_ history: History) -> [Violation] {
    var violations: [Violation] = []
    for (client, records) in history.clients.enumerated() {
      for case .vain(let wait) in records {
        violations.append(
          Violation("Waits succeed", "client \(client)'s wait \(wait) timed out")
        )
      }
    }
    return violations
  }
}

/// A scope that still differs after it was fetched is fetched again only after a back-off.
package enum BackOff {
  @Sendable package static func check(_ history: History) -> [Violation] {
    var violations: [Violation] = []
    for (client, records) in history.clients.enumerated() {
      var times: [String: [Int64]] = [:]
      for case .resynchronized(let scope, let time) in records {
        times[scope, default: []].append(time)
      }
      for (scope, times) in times.sorted(by: { $0.key < $1.key }) {
        // The first fetch may be at any time, and the second one soon after it.
        for (place, (time, next)) in zip(times, times.dropFirst()).enumerated().dropFirst() {
          let growth = history.mismatchBackOff.lowerBound << min(place - 1, 20)
          let least = min(growth, history.mismatchBackOff.upperBound)
          guard next - time < least else { continue }
          violations.append(
            Violation("Backs off", "client \(client) fetched \(scope) again at \(next) ns")
          )
        }
      }
    }
    return violations
  }
}

/// At rest a session has joined only scopes that its client holds.
package enum Holding {
  @Sendable package static func check(_ history: History) -> [Violation] {
    history.unheld.map { Violation("Held", "client \($0.client) still joins \($0.scope)") }
  }
}
