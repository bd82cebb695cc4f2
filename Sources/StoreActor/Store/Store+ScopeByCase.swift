import StoreState

// The same as with case key paths, for the usual case that one case of the store's own action is
// written out. There a case key path would hold another key path, and the runtime makes such a
// literal anew each time it comes by, for more than a microsecond; this one it makes once. The
// compiler prefers these where both fit, as there is no dynamic member in them.
extension Store where Action: CasePathable {
  /// Where the path of one case is found: what `\.child` means in a call of `scope`.
  public typealias CasePathMember<Value> = KeyPath<Action.AllCasePaths, AnyCasePath<Action, Value>>

  /// The store of a child feature.
  ///
  /// Asking again for the same child returns the same store, as long as somebody holds it.
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

  /// The store of a child feature that may be absent; nil when it is absent now.
  public func scope<ChildState, ChildAction>(
    _ state: KeyPath<State, ChildState?>,
    action: CasePathMember<ChildAction>,
  ) -> Store<ChildState, ChildAction>? {
    child(optional: state, action) { Action.allCasePaths[keyPath: action] }
  }

  /// The store of a child feature that may be absent; nil when it is absent now.
  public func scope<ChildState, ChildAction>(
    state: KeyPath<State, ChildState?>,
    action: CasePathMember<ChildAction>,
  ) -> Store<ChildState, ChildAction>? {
    child(optional: state, action) { Action.allCasePaths[keyPath: action] }
  }

  /// The stores of a list's rows, each made when it is asked for.
  public func scope<ID: Hashable & Sendable, ElementState, ElementAction>(
    _ state: KeyPath<State, IdentifiedArray<ID, ElementState>>,
    action: CasePathMember<IdentifiedAction<ID, ElementAction>>,
  ) -> some RandomAccessCollection<Store<ElementState, ElementAction>> {
    let path = Action.allCasePaths[keyPath: action]
    return StoreCollection(store: self, state: state, key: action, action: path)
  }

  /// The stores of a list's rows, each made when it is asked for.
  public func scope<ID: Hashable & Sendable, ElementState, ElementAction>(
    state: KeyPath<State, IdentifiedArray<ID, ElementState>>,
    action: CasePathMember<IdentifiedAction<ID, ElementAction>>,
  ) -> some RandomAccessCollection<Store<ElementState, ElementAction>> {
    scope(state, action: action)
  }
}
