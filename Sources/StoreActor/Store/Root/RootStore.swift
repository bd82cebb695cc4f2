/// A root store for any isolation: an actor that runs on the main actor's executor, like the store.
///
/// ```swift
/// let root = await RootStore(initialState: Counter.State()) { Counter() }
/// await root.send(.incrementButtonTapped)
/// ```
///
/// Many tasks may send concurrently; actions are reduced one at a time, on the main actor.
public actor RootStore<State: Sendable, Action: Sendable> {
  package nonisolated let core: RootCore<State, Action>

  /// The executor of the main actor.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    MainActor.sharedUnownedExecutor
  }

  /// Creates an actor for an existing core.
  @usableFromInline
  package init(core: RootCore<State, Action>) {
    self.core = core
  }

  /// Creates a root store.
  ///
  /// - Parameters:
  ///   - initialState: The state to start with.
  ///   - reducer: The feature.
  ///   - prepareDependencies: Overrides dependencies for the state, the reducer and its effects.
  @MainActor
  @inlinable
  public init<R: Reducer<State, Action>>(
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

  /// A store of the same root, for the main actor.
  @MainActor
  public var store: Store<State, Action> { core.node.store(for: nil) { Store(core: core) } }

  /// The state after the last action.
  public var state: State {
    MainActor.assumeIsolated { core.state }
  }

  /// Sends an action.
  ///
  /// It is reduced when this returns.
  ///
  /// - Returns: The task of the action's effects: wait for them, or cancel them.
  @discardableResult
  public func send(_ action: Action) -> StoreTask {
    MainActor.assumeIsolated { core.send(action) }
  }
}
