import CustomDump
import StoreActor

/// The target of an action that was absent when the action arrived.
enum AbsentState {
  case optional
  case enumCase
  case element(String)

  fileprivate var what: String {
    switch self {
    case .optional: "An \"optional\" reducer received an action when its state was \"nil\". …"
    case .enumCase:
      "A \"pullback\" on a case received an action when the state was of another case. …"
    case .element(let id):
      "A \"forEach\" reducer received an action for the missing element \(id). …"
    }
  }

  fileprivate var remedy: String {
    switch self {
    case .optional:
      """
      • A reducer that ran before this one set the state to "nil": combine the optional reducer \
      before it.
      • An effect was still under way when the state went: cancel it then.
      • The action was sent although there was nothing to send it to: send it only from a store \
      that was made of a state that is not "nil".
      """
    case .enumCase:
      """
      • A reducer that ran before this one moved the state on to another case: combine this one \
      before it.
      • An effect was still under way when the state moved on: cancel it then.
      • The action was sent although the state was of another case.
      """
    case .element:
      """
      • A reducer that ran before this one removed the element: combine the "forEach" before it.
      • An effect was still under way when the element was removed: cancel it then.
      • The action was sent although the element was not there.
      """
    }
  }
}

/// Reports an action whose target is absent.
@MainActor
func reportAbsent<Action>(
  _ absent: AbsentState,
  action: Action,
  of state: String,
  at location: IssueLocation,
) {
  if EffectRegistry.noteAbsence() { return }
  var dump = ""
  customDump(action, to: &dump, indent: 4)
  location.report(
    """
    \(absent.what)

      Action:
    \(dump)

      State: \(state)

    The action did nothing. It may have come about in one of these ways:

    \(absent.remedy)
    """
  )
}
