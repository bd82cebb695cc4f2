/// Resumable: a client is notified that the daemon's history does not continue before it shows any
/// state of the new history.
package enum Resumption {
  @Sendable package static func check(_ history: History) -> [Violation] {
    var violations: [Violation] = []
    for (client, records) in history.clients.enumerated() {
      var told: Set<UInt64> = []
      var last: UInt64?
      for record in records {
        switch record {
        case .newEpoch(_, let new): told.insert(new)
        case .shown(let shown):
          if let last, last != shown.epoch, !told.contains(shown.epoch) {
            violations.append(
              Violation("Resumable", "client \(client) did not receive epoch \(shown.epoch)")
            )
          }
          last = shown.epoch
        default: break
        }
      }
    }
    return violations
  }
}
