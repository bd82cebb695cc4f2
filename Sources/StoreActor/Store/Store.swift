/// A handle to a feature for a view, a client or a program: it reads the state and sends actions.
///
/// ```swift
/// let store = Store(initialState: Counter.State()) { Counter() }
/// store.send(.incrementButtonTapped)
/// print(store.count)  // 1
/// ```
///
/// It may be the root of a tree of features, a part of another store, or a scope of a store in
/// another process: the interface is the same. The effects of a root are cancelled when its last
/// store is released.
@MainActor
@dynamicMemberLookup
public final class Store<State, Action> {
  package let core: any StoreCore<State, Action>
  let node: StoreNode<State>

  /// Creates a store of a core.
  @usableFromInline
  package init(core: any StoreCore<State, Action>) {
    self.core = core
    node = core.node
  }

  /// Creates the root store of a feature.
  ///
  /// - Parameters:
  ///   - initialState: The state to start with.
  ///   - reducer: The feature.
  ///   - prepareDependencies: Overrides dependencies for the state, the reducer and its effects.
  @inlinable
  public convenience init<R: Reducer<State, Action>>(
    initialState: @autoclosure () -> R.State,
    @ReducerBuilder<State, Action> reducer: () -> R,
    withDependencies prepareDependencies: ((inout DependencyValues) -> Void)? = nil,
  ) {
    self.init(
      core: RootCore(
        initialState: initialState,
        reducer: reducer,
        withDependencies: prepareDependencies,
      )
    )
  }

  /// The feature's state after the last action.
  public var state: State { observedState() }

  /// A part of the feature's state.
  public subscript<Value>(dynamicMember keyPath: KeyPath<State, Value>) -> Value {
    observed(keyPath)
  }

  /// Calls a closure with the feature's state.
  public func withState<R>(_ body: (_ state: State) throws -> R) rethrows -> R {
    try body(observedState())
  }

  /// Sends an action.
  ///
  /// In process, the state includes the action when this returns. For a store in another process,
  /// ``StoreTask/applied()`` waits until it does. In a daemon with a journal this returns before
  /// the action is durable, and `applied()` waits until it is.
  ///
  /// - Returns: The task of the action's effects: wait for them, or cancel them.
  @discardableResult
  public func send(_ action: Action) -> StoreTask {
    core.send(action)
  }

  /// Sends an action that is applied only if the state has not changed since this store showed it.
  ///
  /// ```swift
  /// try await store.send(.add("Milk"), ifUnchanged: true).applied()
  /// ```
  ///
  /// Clients of a daemon race: another one may change the state while the action is on its way.
  /// Then the action is not applied, and ``StoreTask/applied()`` throws an ``ActionFailure`` with
  /// the code ``ActionFailure/Code/conflict``. It is the whole scope that the daemon exposes that
  /// must be unchanged, also for the store of a child. An earlier action of this client that is
  /// still on its way changes it, too. In process an action is reduced at once, without a conflict.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - isConditional: Whether the action is applied only to the state that this store shows.
  /// - Returns: The task of the action's effects: wait for them, or cancel them.
  @discardableResult
  public func send(_ action: Action, ifUnchanged isConditional: Bool) -> StoreTask {
    isConditional ? core.sendIfUnchanged(action) : core.send(action)
  }
}

/// The store of a feature: `StoreOf<Counter>`.
public typealias StoreOf<R: Reducer> = Store<R.State, R.Action>

/// A store is compared by identity: another call for a child's store that is held returns the
/// same store.
extension Store: Hashable {
  /// Whether two are the same store.
  public nonisolated static func == (lhs: Store, rhs: Store) -> Bool { lhs === rhs }

  /// Hashes the store's identity.
  public nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
