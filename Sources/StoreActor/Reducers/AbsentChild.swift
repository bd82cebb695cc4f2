import CustomDump
import Synchronization

/// The operators whose child may be absent, with their words for reports.
@usableFromInline
enum ChildOperator {
  case ifLet
  case ifCaseLet
  case caseScope
  case forEach(id: String)
  case presentation
  case stack(id: String)

  var name: String {
    switch self {
    case .ifLet, .presentation: "\"ifLet\""
    case .ifCaseLet: "\"ifCaseLet\""
    case .caseScope: "\"Scope\""
    case .forEach, .stack: "\"forEach\""
    }
  }

  var article: String {
    switch self {
    case .ifLet, .ifCaseLet, .presentation: "An"
    case .caseScope, .forEach, .stack: "A"
    }
  }

  /// The kind of the received action.
  var action: String {
    switch self {
    case .presentation: "a presentation action"
    case .stack: "a stack action"
    default: "a child action"
    }
  }

  /// The description of the absence, after "received … when".
  var absence: String {
    switch self {
    case .ifLet: "the child's state was nil"
    case .ifCaseLet, .caseScope: "the child's state was set to another case"
    case .forEach(let id), .stack(let id): "there was no element with the id \(id)"
    case .presentation: "the destination's state was absent"
    }
  }

  /// The way in which a parent removes a child.
  var removal: String {
    switch self {
    case .ifLet: "set the child's state to nil"
    case .ifCaseLet, .caseScope: "changed the state to another case"
    case .forEach: "removed the element"
    case .presentation: "set the destination's state to nil"
    case .stack: "popped the element"
    }
  }
}

/// The meaning of an absent child for an action.
enum Absence: UInt8, AtomicRepresentable {
  /// A mistake in the feature's logic, which is reported.
  case fault
  /// A normal race: a client acted on its copy, and the child may have been removed since.
  case expected
  /// The absence was expected, and the child is absent.
  case found
}

extension EffectRegistry {
  /// Records that the target of a client's action is absent, so that the action is discarded.
  ///
  /// - Returns: False if the action is not a client's: then the absence is a mistake.
  package static func noteAbsence() -> Bool {
    let registry = current.registry
    guard registry.absence != .fault else { return false }
    registry.absence = .found
    return true
  }
}

/// Reports an action for an absent child: the action, its place, likely causes, and the remedy.
@usableFromInline
func reportAbsentChild<Action>(
  _ child: ChildOperator,
  action: Action,
  at location: IssueLocation,
) {
  if EffectRegistry.noteAbsence() { return }
  var dump = ""
  customDump(action, to: &dump, indent: 4)
  location.report(
    """
    \(child.article) \(child.name) at "\(location.fileID):\(location.line)" received \
    \(child.action) when \(child.absence). …

      Action:
    \(dump)

    The action was ignored. This is generally a mistake in the feature's logic, and can come about \
    in one of these ways:

    • A parent reducer \(child.removal) before the child's reducer ran. To fix, run the child \
    first: \(child.name) has to come before any reducer that makes the child go.

    • An effect that was still running sent the action after the child had gone. To fix, cancel \
    the effect when the child goes, above all when it is long-living.

    • The action was sent to the store while the child was absent. To fix, send a child's \
    actions only through a store that was scoped to the child while it was there.
    """
  )
}
