import StoreProtocol

/// Effects begin once in a history, after their action is released, and each waiter is notified
/// once, after they have ended.
package enum Effects {
  @Sendable package static func check(_ history: History) -> [Violation] {
    var violations: [Violation] = []
    var ends: [UInt64: Int64] = [:]
    for epoch in history.epochs {
      var begun: Set<UInt64> = []
      for work in epoch.work {
        ends[work.tag] = work.end ?? .max
        if !work.isReleased {
          violations.append(
            Violation("Effects", "\(work.tag) began before its action was released")
          )
        }
        if !begun.insert(work.tag).inserted {
          violations.append(Violation("Effects", "\(work.tag) began twice"))
        }
      }
    }
    for (client, records) in history.clients.enumerated() {
      violations += check(records, of: client, ends, isAtRest: history.unrest == nil)
    }
    return violations
  }

  private static func check(
    _ records: [History.Record],
    of client: Int,
    _ ends: [UInt64: Int64],
    isAtRest: Bool,
  ) -> [Violation] {
    var violations: [Violation] = []
    var finished: Set<UInt64> = []
    for case .finished(let tag, let time) in records {
      if !finished.insert(tag).inserted {
        violations.append(
          Violation("Effects", "client \(client) received the end of \(tag) twice")
        )
      }
      if let end = ends[tag], time < end {
        violations.append(
          Violation("Effects", "client \(client) received the end of \(tag) too early")
        )
      }
    }
    guard isAtRest, !records.contains(.closed) else { return violations }
    for case .settled(let tag, let outcome, _) in records {
      guard outcome.applied != nil, !finished.contains(tag) else { continue }
      violations.append(
        Violation("Effects", "client \(client) did not receive the end of \(tag)")
      )
    }
    return violations
  }
}
