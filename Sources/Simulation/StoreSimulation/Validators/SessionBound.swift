/// Session-bound: each listed session joins once and leaves at most once, and the listed sessions
/// at the end are the open ones.
package enum SessionBound {
  @Sendable package static func check(_ history: History) -> [Violation] {
    var violations: [Violation] = []
    for (order, epoch) in history.epochs.enumerated() {
      var open: Set<UInt64> = []
      var known: Set<UInt64> = []
      for change in epoch.sessions {
        let isNew = change.isJoin ? known.insert(change.session).inserted : true
        let wasOpen = open.contains(change.session)
        if !isNew || wasOpen == change.isJoin {
          let verb = change.isJoin ? "joined" : "left"
          violations.append(
            Violation("Session-bound", "session \(change.session) of epoch \(order) \(verb) twice")
          )
        }
        if change.isJoin { open.insert(change.session) } else { open.remove(change.session) }
      }
      guard order == history.epochs.count - 1, history.unrest == nil else { continue }
      if open != Set(epoch.openSessions) || open.count != history.listedClients {
        violations.append(
          Violation(
            "Session-bound",
            "\(history.listedClients) clients are open, the state has \(epoch.openSessions), "
              + "the daemon \(open.sorted())",
          )
        )
      }
    }
    return violations
  }
}
