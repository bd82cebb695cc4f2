import StoreActor

/// The receiver of a view's actions, and of the actions of its reducer's effects.
///
/// The store changes the view's `@State` properties. The view owns the store, so the store retains
/// the view only while an action's effects run.
@MainActor
public final class Store<Reducer: ReducerProtocol> {
  typealias State = SimplexState<Reducer.Target>
  typealias Base = StoreActor.Store<State, Reducer.Action>

  /// A test's observer of each action: it receives the state after the action, and may change
  /// the effects.
  typealias Note =
    (Reducer.Action, State, StoreActor.Effect<Reducer.Action>) -> StoreActor.Effect<Reducer.Action>

  let initialReducerState: Reducer.ReducerState?
  private let reducer: Reducer
  private var base: Base?
  /// The view, while effects run for it.
  private var target: Reducer.Target?
  /// The actions whose effects have not ended.
  private var working = 0
  private var onAction: (@MainActor (Reducer.Action) -> Void)?

  /// Creates a store of a reducer without private state.
  public init(reducer: Reducer) where Reducer.ReducerState == Never {
    self.reducer = reducer
    initialReducerState = nil
  }

  /// Creates a store of a reducer with private state.
  ///
  /// - Parameters:
  ///   - reducer: The reducer.
  ///   - initialReducerState: The reducer's state to start with.
  public init(
    reducer: Reducer,
    initialReducerState: @autoclosure () -> Reducer.ReducerState,
  ) {
    self.reducer = reducer
    self.initialReducerState = initialReducerState()
  }

  /// Calls a closure with each action after it has been reduced.
  func forward(_ onAction: @escaping @MainActor (Reducer.Action) -> SendTask) {
    self.onAction = { _ = onAction($0) }
  }

  @discardableResult
  func send(_ action: Reducer.Action, target: Reducer.Target) -> SendTask {
    self.target = target
    working += 1
    let task = (base ?? attach(viewState: nil)).send(action)
    task.whenFinished { [self] in
      working -= 1
      if working == 0 { self.target = nil }
    }
    return SendTask(task: task)
  }

  /// Attaches a test's view, a state for it and the test's dependencies.
  func attach(
    to target: Reducer.Target,
    viewState: Reducer.Target.ViewState,
    note: @escaping Note,
    withDependencies prepareDependencies: @escaping (inout DependencyValues) -> Void,
  ) -> Base {
    viewState.write(to: target)
    // The view is retained, since a test store sends to the base itself.
    self.target = target
    working += 1
    return attach(viewState: viewState, note: note, withDependencies: prepareDependencies)
  }

  private func attach(
    viewState: Reducer.Target.ViewState?,
    note: @escaping Note = { $2 },
    withDependencies prepareDependencies: ((inout DependencyValues) -> Void)? = nil,
  ) -> Base {
    let base = Base(
      initialState: State(viewState: viewState, reducerState: initialReducerState),
      reducer: {
        Reduce<State, Reducer.Action> { [weak self] state, action in
          let effect = reduceOnMainActor(&state, action) { state, action in
            self?.reduce(&state, action) ?? .none
          }
          return note(action, state, effect)
        }
      },
      withDependencies: prepareDependencies,
    )
    self.base = base
    return base
  }

  private func reduce(
    _ state: inout State,
    _ action: Reducer.Action,
  ) -> StoreActor.Effect<Reducer.Action> {
    guard let target else {
      preconditionFailure("'\(action)' came when nothing was at work that could send it.")
    }
    let container = StateContainer(of: target, reducerState: state.reducerState)
    let effect = reducer.reduce(into: container, action: action).effect
    state.reducerState = container.ownState
    state.viewState?.read(from: target)
    return onAction == nil ? effect : .merge(forwarding(action), effect)
  }

  /// Returns an effect that forwards an action to the observer, once the state is in place.
  private func forwarding(_ action: Reducer.Action) -> StoreActor.Effect<Reducer.Action> {
    // The action stays on the main actor.
    nonisolated(unsafe) let action = action
    let source = EffectSource<Reducer.Action> { [onAction] sink in
      onAction?(action)
      sink.finish()
    }
    return StoreActor.Effect(.source(source))
  }
}

/// Reduces on the main actor, on which stores call their reducers.
private func reduceOnMainActor<State, Action>(
  _ state: inout State,
  _ action: Action,
  _ reduce: @MainActor (inout State, Action) -> StoreActor.Effect<Action>,
) -> StoreActor.Effect<Action> {
  // The code runs on the main actor already, and no value leaves it.
  nonisolated(unsafe) let action = action
  return withUnsafeMutablePointer(to: &state) { state in
    // As above.
    nonisolated(unsafe) let state = state
    return MainActor.assumeIsolated { reduce(&state.pointee, action) }
  }
}
