/// Schedules: each alarm that was set rings once, or is still waiting.
package enum Alarms {
  @Sendable package static func check(_ history: History) -> [Violation] {
    guard let last = history.epochs.last else { return [] }
    var violations: [Violation] = []
    for epoch in history.epochs {
      var rang: Set<UInt64> = []
      let set = Set(epoch.reductions.map(\.tag))
      for ring in epoch.rings {
        if !rang.insert(ring.tag).inserted {
          violations.append(Violation("Alarms", "the alarm of \(ring.tag) rang twice"))
        }
        if !set.contains(ring.tag) {
          violations.append(Violation("Alarms", "the alarm of \(ring.tag) was not set"))
        }
      }
    }
    guard history.unrest == nil else { return violations }
    let waiting = Set(last.waitingAlarms)
    let rang = Set(last.rings.map(\.tag))
    for tag in history.alarms where last.reductions.contains(where: { $0.tag == tag }) {
      if rang.contains(tag) == waiting.contains(tag) {
        let fault = waiting.contains(tag) ? "rang and waits" : "neither rang nor waits"
        violations.append(Violation("Alarms", "the alarm of \(tag) \(fault)"))
      }
    }
    return violations
  }
}
