import CustomDump
import IssueReporting

/// Reports an action that was sent while the store was reducing another one.
func reportSendWhileReducing<Action>(_ action: Action) {
  var dump = ""
  customDump(action, to: &dump, indent: 4)
  reportIssue(
    """
    An action was sent to a store while the store was still reducing another one. …

      Action:
    \(dump)

    The action is reduced after the current one, in the same revision. A reducer must not send to \
    its own store, neither directly nor through something it calls.

    To fix, return "Effect.send" from it, or share the logic in a method.
    """
  )
}

/// Reports an action that was sent to a store after its part had become absent.
func reportEndedStore<State, Action>(of _: State.Type, _ action: Action) {
  var dump = ""
  customDump(action, to: &dump, indent: 4)
  reportIssue(
    """
    An action was sent to a store of \(State.self) after what it shows had gone. …

      Action:
    \(dump)

    The action was ignored, for something else may have come in its place.

    To fix, let go of a store when its child goes, and scope again to what is there then. Cancel \
    what outlives the child and sends.
    """
  )
}

/// Reports an action that an effect sent after its operation had returned.
func reportSendAfterEnd<Action>(_ action: Action, of run: EffectRun<Action>) {
  var dump = ""
  customDump(action, to: &dump, indent: 4)
  let message =
    """
    An action was sent from a completed effect. …

      Action:
    \(dump)

      Effect returned from:
        \(run.location.map { "\($0.fileID):\($0.line)" } ?? "an unknown place")

    The "send" of an "Effect.run" was used after the effect had completed, as by a task or a \
    callback that outlives it.

    To fix, let the closure of the effect return only when everything that sends has ended.
    """
  if let location = run.location { location.report(message) } else { reportIssue(message) }
}
