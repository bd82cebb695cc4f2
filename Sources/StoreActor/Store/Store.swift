/// What a view, a client or a program holds of a feature: its state, and the means to send actions.
///
/// ```swift
/// let store = Store(initialState: Counter.State()) { Counter() }
/// store.send(.incrementButtonTapped)
/// print(store.count)  // 1
/// ```
///
/// It may be the root of a tree of features, a part of another store, or a scope of a store in
/// another process: whoever holds it cannot tell. The effects of a root are cancelled when the last
/// store of it goes.
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

  /// The feature's state, as of the last action.
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
  /// In process the state includes the action when this returns; of a store in another process,
  /// ``StoreTask/applied()`` tells when it does. In a daemon that keeps its state this returns
  /// before the action is kept, and `applied()` tells when it is.
  ///
  /// - Returns: What follows from the action; wait for its effects, or cancel them.
  @discardableResult
  public func send(_ action: Action) -> StoreTask {
    core.send(action)
  }
}

/// The store of a feature: `StoreOf<Counter>`.
public typealias StoreOf<R: Reducer> = Store<R.State, R.Action>

/// A store is known by which one it is: asking again for a child's store that somebody holds gives
/// the same one.
extension Store: Hashable {
  /// Whether two are the same store.
  public nonisolated static func == (lhs: Store, rhs: Store) -> Bool { lhs === rhs }

  /// Hashes which store it is.
  public nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
