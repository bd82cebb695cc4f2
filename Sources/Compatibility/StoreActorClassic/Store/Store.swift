import StoreActor

/// The runtime of a feature: it holds the state, reduces actions and runs effects.
///
/// ```swift
/// let store = Store(
///   initialState: AppState(),
///   reducer: appReducer,
///   environment: AppEnvironment(mainQueue: .main)
/// )
/// ```
///
/// Views read and send through a ``ViewStore``. The store belongs to the main actor. When the last
/// store of a root is deinitialized, its effects are cancelled.
@MainActor
public final class Store<State, Action> {
  let read: @MainActor () -> State
  let submit: @MainActor (Action) -> StoreTask
  let observe: @MainActor (_ onChange: @escaping @MainActor () -> Void) -> StoreSubscription

  init(
    read: @escaping @MainActor () -> State,
    submit: @escaping @MainActor (Action) -> StoreTask,
    observe:
      @escaping @MainActor (_ onChange: @escaping @MainActor () -> Void) -> StoreSubscription,
  ) {
    self.read = read
    self.submit = submit
    self.observe = observe
  }

  convenience init(of base: StoreActor.Store<State, Action>) {
    self.init(
      read: { base.core.state },
      submit: { base.send($0) },
      observe: { base.core.observeChanges($0) },
    )
  }

  /// Creates the store of a feature.
  ///
  /// - Parameters:
  ///   - initialState: The initial state.
  ///   - reducer: The feature.
  ///   - environment: The feature's dependencies.
  public convenience init<Environment>(
    initialState: State,
    reducer: AnyReducer<State, Action, Environment>,
    environment: Environment,
  ) {
    let feature = reducer.feature(environment: environment)
    self.init(of: StoreActor.Store(initialState: initialState) { feature })
  }

  /// Returns a store of a part of this store's state, with its own actions.
  ///
  /// - Parameters:
  ///   - toLocalState: Returns the part of the state.
  ///   - fromLocalAction: Embeds an action of the part in an action of this store.
  /// - Returns: The part's store.
  public func scope<LocalState, LocalAction>(
    state toLocalState: @escaping @MainActor (State) -> LocalState,
    action fromLocalAction: @escaping @MainActor (LocalAction) -> Action,
  ) -> Store<LocalState, LocalAction> {
    Store<LocalState, LocalAction>(
      read: { [self] in toLocalState(read()) },
      submit: { [self] in submit(fromLocalAction($0)) },
      observe: observe,
    )
  }

  /// Returns a store of a part of this store's state, with the same actions.
  public func scope<LocalState>(
    state toLocalState: @escaping @MainActor (State) -> LocalState
  ) -> Store<LocalState, Action> {
    scope(state: toLocalState, action: { $0 })
  }

  /// A store without a state, for a view that only sends actions.
  public var stateless: Store<Void, Action> {
    scope(state: { _ in () })
  }

  /// A store without actions, for a view that only shows state.
  public var actionless: Store<State, Never> {
    func absurd(_ never: Never) -> Action {}
    return scope(state: { $0 }, action: absurd)
  }

  /// The state after the last action.
  package var state: State { read() }
}
