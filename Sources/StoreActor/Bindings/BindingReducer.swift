/// Sets the properties of ``BindableAction``s; other actions have no effect.
///
/// ```swift
/// var body: some ReducerOf<Self> {
///   BindingReducer()
///   Reduce { state, action in … }
/// }
/// ```
///
/// All reducers after it in a body see the new value. For further changes after a setting, match
/// its action, `case .binding(\.query):`, or use `onChange(of:_:)`.
public struct BindingReducer<State, Action, ViewAction: BindableAction>: Reducer
where State == ViewAction.State {
  private let toViewAction: (Action) -> ViewAction?
  private let binding = BindingCase<ViewAction>()

  /// Creates a reducer for actions that are bindable.
  public init() where Action == ViewAction {
    toViewAction = { $0 }
  }

  /// Creates a reducer for actions with a case that contains bindable ones: `\.view`.
  ///
  /// - Parameter toViewAction: The case.
  public init(action toViewAction: CaseKeyPath<Action, ViewAction>) {
    self.init(action: AnyCasePath(toViewAction))
  }

  /// Creates a reducer for actions with a case that contains bindable ones.
  ///
  /// - Parameter toViewAction: The case.
  public init(action toViewAction: AnyCasePath<Action, ViewAction>) {
    self.toViewAction = { toViewAction.extract(from: $0) }
  }

  /// Sets the property of the action.
  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    toViewAction(action).flatMap { binding.extract($0) }?.set(in: &state)
    return .none
  }
}

/// Extracts the setting of a property from an action; chosen once for a type.
private struct BindingCase<Action: BindableAction> {
  let extract: (Action) -> BindingAction<Action.State>?

  init() {
    if let type = Action.self as? any CasePathIterable.Type, let path = Self.path(in: type) {
      extract = { path.extract(from: $0) }
    } else {
      extract = { $0.binding }
    }
  }

  /// The case path of the case that `binding(_:)` creates, which avoids reflection.
  private static func path<C: CasePathIterable>(
    in _: C.Type
  ) -> AnyCasePath<Action, BindingAction<Action.State>>? {
    let probe = Action.binding(
      BindingAction(keyPath: \Action.State.self, value: false, setValue: { _ in })
    )
    for keyPath in C.allCasePaths {
      let anyKeyPath: AnyKeyPath = keyPath
      guard let keyPath = anyKeyPath as? CaseKeyPath<Action, BindingAction<Action.State>> else {
        continue
      }
      let path = AnyCasePath(keyPath)
      if path.extract(from: probe) != nil { return path }
    }
    return nil
  }
}
