import CustomDump
package import StoreActor

/// What a ``TestStore`` has seen of its feature and the test has not dealt with yet.
///
/// Sound although it can be changed: it is used on the main actor, and at the end by the test store
/// that is going, when nobody else has it any more.
package final class TestRecord<State, Action, Environment>: @unchecked Sendable {
  package struct Received {
    package let action: Action
    package let state: State
  }

  package struct Running {
    package let action: Action
    let lineage: EffectLineage
    let location: IssueLocation
  }

  package var environment: Environment
  /// The state that the test knows.
  package var state: State
  /// Actions that effects have sent, with the states that they led to.
  package var received: [Received] = []
  /// Where the test last did something with the store.
  package var location: IssueLocation
  private var effects: [Running] = []
  private var isSending = false

  package init(state: State, environment: Environment, location: IssueLocation) {
    self.state = state
    self.environment = environment
    self.location = location
  }

  /// Calls a closure that sends an action, which is then not one that has to be received.
  package func sending<R>(_ send: () -> R) -> R {
    isSending = true
    defer { isSending = false }
    return send()
  }

  package func note(_ action: Action, _ state: State) {
    if isSending {
      isSending = false
      self.state = state
    } else {
      received.append(Received(action: action, state: state))
    }
  }

  package func track(
    _ effect: StoreActor.Effect<Action>,
    of action: Action,
  ) -> StoreActor.Effect<Action> {
    switch effect.operation {
    case .none, .refuse, .send: return effect
    default: break
    }
    let lineage = EffectLineage()
    effects.append(Running(action: action, lineage: lineage, location: location))
    return StoreActor.Effect(.tracked(effect, by: lineage))
  }

  /// The actions whose effects are under way.
  package var running: [Running] {
    effects.removeAll { !$0.lineage.isActive }
    return effects
  }

  /// Reports what the test has left open.
  package func complete() {
    if !received.isEmpty {
      location.report(
        """
        The store received \(received.count) unexpected action\(received.count == 1 ? "" : "s") \
        after this one: …

        Unhandled actions: \(dump(received.map(\.action)))

        To fix, receive the action\(received.count == 1 ? "" : "s") with "store.receive".
        """
      )
    }
    for effect in running {
      effect.location.report(
        """
        An effect returned for this action is still running. It must complete before the end of \
        the test. …

          Action:
        \(dump(effect.action, indent: 4))

        To fix, see to it that every effect that the reducer returns for this action completes \
        before the test ends. Reasons why one may not have completed:

        • It needs a little time, as an async one does. Await "receive", or await "finish()".

        • It waits for a scheduler. Advance the test scheduler far enough, or use an immediate one.

        • It is long-living, such as a timer. Mark it "cancellable" and send an action that \
        returns "Effect.cancel", or cancel the task that "send" returned.
        """
      )
      effect.lineage.cancel()
    }
  }
}

/// A value in full, as failure texts show it.
package func dump(_ value: some Any, indent: Int = 0) -> String {
  var text = ""
  customDump(value, to: &text, indent: indent)
  return text
}
