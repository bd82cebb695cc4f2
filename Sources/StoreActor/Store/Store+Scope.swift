import StoreState

extension Store {
  /// The store of a child feature.
  ///
  /// Asking again for the same child returns the same store.
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
    let id = ScopeID(state: state, action: key, element: nil)
    if let store: Store<ChildState, ChildAction> = children[id] { return store }
    let store = Store<ChildState, ChildAction>(core: core.scoped(state: state, action: action()))
    children[id] = store
    return store
  }

  /// The store of a child that may be absent, made when there is a child and none is known.
  func child<ChildState, ChildAction>(
    optional state: KeyPath<State, ChildState?>,
    _ key: AnyKeyPath,
    _ action: () -> AnyCasePath<Action, ChildAction>,
  ) -> Store<ChildState, ChildAction>? {
    observePresence(state)
    let id = ScopeID(state: state, action: key, element: nil)
    return children.optional(id) { core.scoped(optional: state, action: action()) }
  }
}

/// What tells a store's children apart.
struct ScopeID: Hashable {
  let state: AnyKeyPath
  let action: AnyKeyPath
  let element: AnyHashable?
}

/// The stores that were made of a store's parts, kept so that each part has one.
@MainActor
struct ScopedStores {
  private struct Child {
    let store: AnyObject
    let isInvalid: @MainActor () -> Bool
  }

  private var children: [ScopeID: Child] = [:]
  private var limit = 32

  subscript<State, Action>(id: ScopeID) -> Store<State, Action>? {
    get { children[id]?.store as? Store<State, Action> }
    set {
      children[id] = newValue.map { store in
        Child(store: store, isInvalid: { [core = store.core] in core.isInvalid })
      }
      if children.count > limit { sweep() }
    }
  }

  mutating func optional<State, Action>(
    _ id: ScopeID,
    core: () -> (any StoreCore<State, Action>)?,
  ) -> Store<State, Action>? {
    let known: Store<State, Action>? = self[id]
    if let known, !known.core.isInvalid { return known }
    let store = core().map { Store<State, Action>(core: $0) }
    self[id] = store
    return store
  }

  /// Lets go of stores whose child has gone; seldom enough to cost nothing on the average.
  private mutating func sweep() {
    children = children.filter { !$0.value.isInvalid() }
    limit = max(32, children.count * 2)
  }
}
