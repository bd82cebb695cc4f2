import StoreState

extension Store {
  /// The store of a child feature.
  ///
  /// Another call for the same child returns the same store, as long as it is held.
  ///
  /// - Parameters:
  ///   - state: The child's state in this store's.
  ///   - action: The case of this store's action that holds the child's.
  /// - Returns: The child's store.
  public func scope<ChildState, ChildAction>(
    _ state: KeyPath<State, ChildState>,
    action: CaseKeyPath<Action, ChildAction>,
  ) -> Store<ChildState, ChildAction> {
    child(state, action) { AnyCasePath(action) }
  }

  /// The store of a child feature.
  public func scope<ChildState, ChildAction>(
    state: KeyPath<State, ChildState>,
    action: CaseKeyPath<Action, ChildAction>,
  ) -> Store<ChildState, ChildAction> {
    scope(state, action: action)
  }

  /// The store of a child feature that may be absent; nil if it is absent now.
  ///
  /// The store belongs to the present child. When that child is removed or replaced, the store
  /// keeps the last state, and another call returns nil or another store.
  ///
  /// A row of a list is such a child, by its id:
  ///
  /// ```swift
  /// if let row = store.scope(\.rows[id: id], action: \.rows[id: id]) { … }
  /// ```
  public func scope<ChildState, ChildAction>(
    _ state: KeyPath<State, ChildState?>,
    action: CaseKeyPath<Action, ChildAction>,
  ) -> Store<ChildState, ChildAction>? {
    child(optional: state, action) { AnyCasePath(action) }
  }

  /// The store of a child feature that may be absent; nil if it is absent now.
  public func scope<ChildState, ChildAction>(
    state: KeyPath<State, ChildState?>,
    action: CaseKeyPath<Action, ChildAction>,
  ) -> Store<ChildState, ChildAction>? {
    scope(state, action: action)
  }

  /// The stores of a list's rows, each created on access.
  public func scope<ID: Hashable & Sendable, ElementState, ElementAction>(
    _ state: KeyPath<State, IdentifiedArray<ID, ElementState>>,
    action: CaseKeyPath<Action, IdentifiedAction<ID, ElementAction>>,
  ) -> some RandomAccessCollection<Store<ElementState, ElementAction>> {
    StoreCollection(store: self, state: state, key: action, action: AnyCasePath(action))
  }

  /// The stores of a list's rows, each created on access.
  public func scope<ID: Hashable & Sendable, ElementState, ElementAction>(
    state: KeyPath<State, IdentifiedArray<ID, ElementState>>,
    action: CaseKeyPath<Action, IdentifiedAction<ID, ElementAction>>,
  ) -> some RandomAccessCollection<Store<ElementState, ElementAction>> {
    StoreCollection(store: self, state: state, key: action, action: AnyCasePath(action))
  }
}

extension Store {
  /// The store of a part that functions define.
  ///
  /// Each call returns a new store. It shows the function's result and receives no outputs. With
  /// key paths, a store is found again, and detecting changes costs less.
  ///
  /// - Parameters:
  ///   - toChildState: Computes the part from the state.
  ///   - fromChildAction: Embeds an action of the part.
  /// - Returns: The part's store.
  @_disfavoredOverload
  public func scope<ChildState, ChildAction>(
    state toChildState: @escaping (_ state: State) -> ChildState,
    action fromChildAction: @escaping @Sendable (_ childAction: ChildAction) -> Action,
  ) -> Store<ChildState, ChildAction> {
    let action = AnyCasePath<Action, ChildAction>(embed: fromChildAction, extract: { _ in nil })
    return Store<ChildState, ChildAction>(core: core.child(node.made(by: toChildState), action))
  }

  /// Returns the child's store; creates it if it is absent.
  ///
  /// - Parameters:
  ///   - state: The child's state in this store's.
  ///   - key: The key of the case of the child's actions.
  ///   - action: Creates that case's path.
  /// - Returns: The child's store.
  func child<ChildState, ChildAction>(
    _ state: KeyPath<State, ChildState>,
    _ key: AnyKeyPath,
    _ action: () -> AnyCasePath<Action, ChildAction>,
  ) -> Store<ChildState, ChildAction> {
    if let last: Store<ChildState, ChildAction> = node.lastStore(at: state, for: key) {
      return last
    }
    let part = node.part(state)
    let store = part.store(for: key) {
      Store<ChildState, ChildAction>(core: core.child(part, action()))
    }
    node.note(store, at: state, for: key)
    return store
  }

  /// Returns the store of a child that may be absent; creates it if the child is present.
  func child<ChildState, ChildAction>(
    optional state: KeyPath<State, ChildState?>,
    _ key: AnyKeyPath,
    _ action: () -> AnyCasePath<Action, ChildAction>,
  ) -> Store<ChildState, ChildAction>? {
    var list: AnyStoreNode?
    guard let child = node.optional(state, holding: &list) else {
      if ObservationProbe.isTracking { node.notePresence(state) }
      return nil
    }
    if ObservationProbe.isTracking { child.noteEnd() }
    return withExtendedLifetime(list) {
      child.store(for: key) { Store<ChildState, ChildAction>(core: core.child(child, action())) }
    }
  }
}
