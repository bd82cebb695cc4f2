public import StoreActor

extension AnyReducer {
  /// The feature as a reducer of `StoreActor`, for a daemon or for `TestStore(remote:)`.
  ///
  /// ```swift
  /// let host = StoreHost(initialState: AppState(), exposures: exposures, configuration: …) {
  ///   appReducer.feature(environment: AppEnvironment(mainQueue: .main))
  /// }
  /// ```
  ///
  /// The state and the action need wire forms, `ReplicatedState` and `WireAction`, which an
  /// extension can add: the feature itself stays as it is.
  ///
  /// - Parameter environment: What the feature needs from outside; evaluated for each action.
  /// - Returns: The reducer. Its effects are cancelled by the ids of this one reducer: a body with
  ///   a condition or a loop is evaluated for each action, so make the reducer once, outside of it.
  public func feature(
    environment: @autoclosure @escaping () -> Environment
  ) -> some StoreActor.Reducer<State, Action> {
    feature(environment: environment) { $2 }
  }

  /// The feature as a reducer of `StoreActor`, with a function that sees each step.
  ///
  /// - Parameters:
  ///   - environment: What the feature needs from outside, for each action.
  ///   - note: Is called with each action, the state that it led to and its effects; returns the
  ///     effects to run.
  /// - Returns: The reducer.
  func feature(
    environment: @escaping () -> Environment,
    note: @escaping (Action, State, StoreActor.Effect<Action>) -> StoreActor.Effect<Action>,
  ) -> Reduce<State, Action> {
    let cancellations = CancellationTable()
    return Reduce { state, action in
      let effect = storeReduce(&state, action, environment(), cancellations)
      return note(action, state, effect)
    }
  }

  /// Reduces as a store of StoreActor wants it: from a function without isolation, which stores
  /// call on the main actor.
  private func storeReduce(
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
