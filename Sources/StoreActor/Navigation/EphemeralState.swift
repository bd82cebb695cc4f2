/// State that ends with any action from it, such as an alert.
///
/// The operators that present it set it to nil after its action. ``AlertState`` and
/// ``ConfirmationDialogState`` are such states; a custom type may be one too.
public protocol _EphemeralState<Action>: _SelfReducingState where _OwnAction == Action {
  /// The actions that it can send.
  associatedtype Action

  /// The actions that it can send.
  associatedtype _OwnAction = Action

  /// The type of its actions.
  static var actionType: Any.Type { get }
}

extension _EphemeralState {
  /// The type of its actions.
  public static var actionType: Any.Type { Action.self }
}

/// Whether a child ends after an action; chosen once for a child's type, as a type check is slow.
@usableFromInline
struct Ephemerality<State, Action> {
  /// Nil if no state of the type is ephemeral.
  private let check: ((State, Action) -> Bool)?

  @usableFromInline
  init() {
    if let type = State.self as? any _EphemeralState.Type {
      let isSent = Self.isSent(as: type.actionType)
      check = { _, action in isSent(action) }
    } else {
      check = EnumLayout<State>().flatMap(Self.byCase)
    }
  }

  /// Whether any state of the type may be ephemeral.
  @usableFromInline var isPossible: Bool { check != nil }

  /// Whether the state is ephemeral, and the action was sent from it.
  @usableFromInline
  func ends(_ state: State?, with action: Action) -> Bool {
    guard let check, let state else { return false }
    return check(state, action)
  }

  /// A destination is ephemeral while its case contains an ephemeral state.
  private static func byCase(_ layout: EnumLayout<State>) -> ((State, Action) -> Bool)? {
    let checks = layout.payloadTypes.map { type in
      (type as? any _EphemeralState.Type).map { isSent(as: $0.actionType) }
    }
    guard checks.contains(where: { $0 != nil }) else { return nil }
    return { state, action in
      let tag = layout.tag(of: state)
      return tag < checks.count && checks[tag]?(action) == true
    }
  }

  /// Whether an action is of a type, or is an enum in a case of that type.
  private static func isSent(as type: Any.Type) -> (Action) -> Bool {
    if Action.self == type { return { _ in true } }
    guard let layout = EnumLayout<Action>() else { return { _ in false } }
    let isOfType = layout.payloadTypes.map { $0 == type }
    return { action in
      let tag = layout.tag(of: action)
      return tag < isOfType.count && isOfType[tag]
    }
  }
}
