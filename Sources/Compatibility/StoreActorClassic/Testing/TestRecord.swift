import CustomDump
package import StoreActor

/// The actions and effects that a ``TestStore`` has observed and the test has not handled yet.
///
/// Unchecked but sound: the main actor uses it, and at the end the deinitializer of the last test
/// store, when no other reference exists.
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
  /// The actions that effects have sent, with the resulting states.
  package var received: [Received] = []
  /// The location of the test's last use of the store.
  package var location: IssueLocation
  private var effects: [Running] = []
  private var isSending = false

  package init(state: State, environment: Environment, location: IssueLocation) {
    self.state = state
    self.environment = environment
    self.location = location
  }

  /// Calls a closure that sends an action of the test, which the test need not receive.
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

  /// The actions whose effects are running.
  package var running: [Running] {
    effects.removeAll { !$0.lineage.isActive }
    return effects
  }

  /// Reports unhandled actions and running effects.
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

/// Returns the full dump of a value, for failure texts.
package func dump(_ value: some Any, indent: Int = 0) -> String {
  var text = ""
  customDump(value, to: &text, indent: indent)
  return text
}
