import StoreState

extension Store {
  /// The store of a child feature.
  ///
  /// Asking again for the same child returns the same store, as long as somebody holds it.
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

  /// The store of a child feature that may be absent; nil when it is absent now.
  ///
  /// The store belongs to the child that is there now. When that has gone, or another one has come
  /// in its place, the store keeps the last state, and asking again gives nil or another store.
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

  /// The store of a child feature that may be absent; nil when it is absent now.
  public func scope<ChildState, ChildAction>(
    state: KeyPath<State, ChildState?>,
    action: CaseKeyPath<Action, ChildAction>,
  ) -> Store<ChildState, ChildAction>? {
    scope(state, action: action)
  }

  /// The stores of a list's rows, each made when it is asked for.
  public func scope<ID: Hashable & Sendable, ElementState, ElementAction>(
    _ state: KeyPath<State, IdentifiedArray<ID, ElementState>>,
    action: CaseKeyPath<Action, IdentifiedAction<ID, ElementAction>>,
  ) -> some RandomAccessCollection<Store<ElementState, ElementAction>> {
    StoreCollection(store: self, state: state, key: action, action: AnyCasePath(action))
  }

  /// The stores of a list's rows, each made when it is asked for.
  public func scope<ID: Hashable & Sendable, ElementState, ElementAction>(
    state: KeyPath<State, IdentifiedArray<ID, ElementState>>,
    action: CaseKeyPath<Action, IdentifiedAction<ID, ElementAction>>,
  ) -> some RandomAccessCollection<Store<ElementState, ElementAction>> {
    StoreCollection(store: self, state: state, key: action, action: AnyCasePath(action))
  }
}

extension Store {
  /// The store of a part that functions lead to.
  ///
  /// It is another one each time, shows what the function makes of the state, and hears of no
  /// outputs. With key paths a store is found again, and asks less of who is told of changes.
  ///
  /// - Parameters:
  ///   - toChildState: Makes the part of the state.
  ///   - fromChildAction: Makes an action of one of the part.
  /// - Returns: The part's store.
  @_disfavoredOverload
  public func scope<ChildState, ChildAction>(
    state toChildState: @escaping (_ state: State) -> ChildState,
    action fromChildAction: @escaping @Sendable (_ childAction: ChildAction) -> Action,
  ) -> Store<ChildState, ChildAction> {
    let action = AnyCasePath<Action, ChildAction>(embed: fromChildAction, extract: { _ in nil })
    return Store<ChildState, ChildAction>(core: core.child(node.made(by: toChildState), action))
  }

  /// The child's store, made when there is none.
  ///
  /// - Parameters:
  ///   - state: The child's state in this store's.
  ///   - key: What the case of the child's actions is known by.
  ///   - action: Makes that case's path.
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

  /// The store of a child that may be absent, made when there is a child and none is known.
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
