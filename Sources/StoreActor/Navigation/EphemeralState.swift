/// State of something that is over with any action from it, such as an alert.
///
/// The operators that present it make it nil after its action. ``AlertState`` and
/// ``ConfirmationDialogState`` are such states; a type of your own may be one too.
public protocol _EphemeralState<Action>: _SelfReducingState where _OwnAction == Action {
  /// What it can send.
  associatedtype Action

  /// What it can send.
  associatedtype _OwnAction = Action

  /// The type of what it can send.
  static var actionType: Any.Type { get }
}

extension _EphemeralState {
  /// The type of what it can send.
  public static var actionType: Any.Type { Action.self }
}

/// Whether a child is over after an action; chosen once for a child's type, as asking it is slow.
@usableFromInline
struct Ephemerality<State, Action> {
  /// Nil where no state of the type is ephemeral.
  private let check: ((State, Action) -> Bool)?

  @usableFromInline
  init() {
    if let type = State.self as? any _EphemeralState.Type {
      check = { _, action in Self.action(action, isOf: type.actionType) }
    } else if let type = State.self as? any CasePathable.Type {
      check = Self.byCase(type)
    } else {
      check = nil
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

  /// A destination is ephemeral while it is of a case that holds an ephemeral state.
  private static func byCase<C: CasePathable>(_: C.Type) -> ((State, Action) -> Bool)? {
    guard let paths = C.allCasePaths as? any CasePathReflectable<C> else { return nil }
    return { state, action in
      guard let state = state as? C,
        let type = payloadType(of: paths[state]) as? any _EphemeralState.Type
      else { return false }
      return Self.action(action, isOf: type.actionType)
    }
  }

  private static func action(_ action: Any, isOf type: Any.Type) -> Bool {
    if Swift.type(of: action) == type { return true }
    guard let payload = Mirror(reflecting: action).children.first?.value else { return false }
    return Swift.type(of: payload) == type
  }
}
