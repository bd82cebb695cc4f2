import StoreProtocol

extension ReplicaClient {
  /// Checks the invariants between two turns, for tests and the simulator.
  package func checkInvariants() {
    precondition(
      scopesByName.values.joined().count == scopes.count
        && scopes.allSatisfy { scope in scopesByName[scope.name]?.contains { $0 === scope } ?? false
        },
      "The scopes and those by their names differ: \(scopes.map(\.name))",
    )
    var pending = 0
    for scope in scopes {
      precondition(
        scope.pendingActions >= 0,
        "\"\(scope.name)\" has \(scope.pendingActions) actions",
      )
      pending += scope.pendingActions
      switch scope.want {
      case .held(let count): precondition(count > 0, "\"\(scope.name)\" is held \(count) times")
      case .released:
        precondition(hasReleased, "\"\(scope.name)\" is released, and that is not known")
      case .lingering(let end):
        precondition(
          lingerDue.map { $0 <= end.advanced(by: timing.linger / 4) } ?? false,
          "\"\(scope.name)\" lingers until \(end), and no check is due then",
        )
      case .draining:
        precondition(scope.pendingActions > 0, "\"\(scope.name)\" waits for no action")
      case .left: preconditionFailure("\"\(scope.name)\" has left, and is still there")
      }
    }
    // Some actions have an outcome that waits for the state that shows it.
    let open = actions.count + actions.settlingTickets.count
    precondition(pending <= open, "Scopes have \(pending) actions, of \(open)")
    precondition(phase != .live || session != nil, "A session is open, and nothing is known of it")
    precondition(joining == nil || phase == .live, "A join is under way without a session")
    let isSettled = phase == .live && !needsJoin && (joining.map { $0.echo != nil } ?? true)
    precondition(
      !isSettled || followsPublished || subscribed.isEmpty,
      "\(subscribed.count) topics are subscribed to, and nothing that is followed is published",
    )
    precondition(
      runningEffects.values.allSatisfy { !$0.isFinished },
      "Ended effects are waited for",
    )
  }
}
