import StoreState

// The same as with case key paths, for the usual literal of one case of the store's own action.
// There, a case key path would hold another key path, and the runtime creates such a literal at
// each evaluation, for more than a microsecond; it creates this one once. The compiler prefers
// these overloads, as they use no dynamic member.
extension Store where Action: CasePathable {
  /// The path of one case: the meaning of `\.child` in a call of `scope`.
  public typealias CasePathMember<Value> = KeyPath<Action.AllCasePaths, AnyCasePath<Action, Value>>

  /// The store of a child feature.
  ///
  /// Another call for the same child returns the same store, as long as it is held.
  public func scope<ChildState, ChildAction>(
    _ state: KeyPath<State, ChildState>,
    action: CasePathMember<ChildAction>,
  ) -> Store<ChildState, ChildAction> {
    child(state, action) { Action.allCasePaths[keyPath: action] }
  }

  /// The store of a child feature.
  public func scope<ChildState, ChildAction>(
    state: KeyPath<State, ChildState>,
    action: CasePathMember<ChildAction>,
  ) -> Store<ChildState, ChildAction> {
    child(state, action) { Action.allCasePaths[keyPath: action] }
  }

  /// The store of a child feature that may be absent; nil if it is absent now.
  public func scope<ChildState, ChildAction>(
    _ state: KeyPath<State, ChildState?>,
    action: CasePathMember<ChildAction>,
  ) -> Store<ChildState, ChildAction>? {
    child(optional: state, action) { Action.allCasePaths[keyPath: action] }
  }

  /// The store of a child feature that may be absent; nil if it is absent now.
  public func scope<ChildState, ChildAction>(
    state: KeyPath<State, ChildState?>,
    action: CasePathMember<ChildAction>,
  ) -> Store<ChildState, ChildAction>? {
    child(optional: state, action) { Action.allCasePaths[keyPath: action] }
  }

  /// The stores of a list's rows, each created on access.
  public func scope<ID: Hashable & Sendable, ElementState, ElementAction>(
    _ state: KeyPath<State, IdentifiedArray<ID, ElementState>>,
    action: CasePathMember<IdentifiedAction<ID, ElementAction>>,
  ) -> some RandomAccessCollection<Store<ElementState, ElementAction>> {
    let path = Action.allCasePaths[keyPath: action]
    return StoreCollection(store: self, state: state, key: action, action: path)
  }

  /// The stores of a list's rows, each created on access.
  public func scope<ID: Hashable & Sendable, ElementState, ElementAction>(
    state: KeyPath<State, IdentifiedArray<ID, ElementState>>,
    action: CasePathMember<IdentifiedAction<ID, ElementAction>>,
  ) -> some RandomAccessCollection<Store<ElementState, ElementAction>> {
    scope(state, action: action)
  }
}
