/// A root store for any isolation: an actor that runs where the store runs, on the main actor.
///
/// ```swift
/// let root = await RootStore(initialState: Counter.State()) { Counter() }
/// await root.send(.incrementButtonTapped)
/// ```
///
/// However many tasks send at the same time, actions are reduced one at a time, on the main actor.
public actor RootStore<State: Sendable, Action: Sendable> {
  package nonisolated let core: RootCore<State, Action>

  /// The executor of the main actor.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    MainActor.sharedUnownedExecutor
  }

  /// Creates a face of a core.
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

  /// The state, as of the last action.
  public var state: State {
    MainActor.assumeIsolated { core.state }
  }

  /// Sends an action; it has been reduced when this returns.
  ///
  /// - Returns: What follows from the action; wait for its effects, or cancel them.
  @discardableResult
  public func send(_ action: Action) -> StoreTask {
    MainActor.assumeIsolated { core.send(action) }
  }
}
