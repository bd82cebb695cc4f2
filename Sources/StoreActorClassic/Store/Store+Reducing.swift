import StoreActor

extension StoreActor.Store {
  /// A store that a reducer with an environment runs in.
  ///
  /// - Parameters:
  ///   - reducer: The feature.
  ///   - environment: What the feature needs from outside, for each action.
  ///   - note: Is called with each action, the state that it led to and its effects; returns the
  ///     effects to run.
  ///   - initialState: The state to start with.
  convenience init<Environment>(
    of reducer: AnyReducer<State, Action, Environment>,
    environment: @escaping () -> Environment,
    note: @escaping (Action, State, StoreActor.Effect<Action>) -> StoreActor.Effect<Action> = {
      $2
    },
    initialState: () -> State,
  ) {
    let cancellations = CancellationTable()
    self.init(initialState: initialState()) {
      Reduce<State, Action> { state, action in
        let effect = reducer.storeReduce(&state, action, environment(), cancellations)
        return note(action, state, effect)
      }
    }
  }
}

extension AnyReducer {
  /// Reduces as a store of StoreActor wants it: from a function without isolation, which stores
  /// call on the main actor.
  fileprivate func storeReduce(
    _ state: inout State,
    _ action: Action,
    _ environment: Environment,
    _ cancellations: CancellationTable,
  ) -> StoreActor.Effect<Action> {
    // On the main actor already: nothing of this goes anywhere else.
    nonisolated(unsafe) let (action, environment) = (action, environment)
    return withUnsafeMutablePointer(to: &state) { state in
      // As above.
      nonisolated(unsafe) let state = state
      return MainActor.assumeIsolated {
        reduce(&state.pointee, action, environment).storeEffect(in: cancellations)
      }
    }
  }
}
