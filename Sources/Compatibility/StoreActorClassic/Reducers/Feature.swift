public import StoreActor

extension AnyReducer {
  /// Returns the feature as a reducer of `StoreActor`, for a daemon or for `TestStore(remote:)`.
  ///
  /// ```swift
  /// let host = StoreHost(initialState: AppState(), exposures: exposures, configuration: …) {
  ///   appReducer.feature(environment: AppEnvironment(mainQueue: .main))
  /// }
  /// ```
  ///
  /// The state and the action need wire forms, `ReplicatedState` and `WireAction`, which an
  /// extension can add without a change of the feature.
  ///
  /// - Parameter environment: The feature's dependencies, evaluated for each action.
  /// - Returns: The reducer. Its cancellation ids belong to this one instance. Create it outside of
  ///   a body with a condition or a loop, which is evaluated for each action.
  public func feature(
    environment: @autoclosure @escaping () -> Environment
  ) -> some StoreActor.Reducer<State, Action> {
    feature(environment: environment) { $2 }
  }

  /// Returns the feature as a reducer of `StoreActor`, with a function that observes each step.
  ///
  /// - Parameters:
  ///   - environment: Returns the feature's dependencies for each action.
  ///   - note: Receives each action, the resulting state and its effects; returns the effects
  ///     to run.
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

  /// Reduces for a store of StoreActor: in a function without isolation, which stores call on the
  /// main actor.
  private func storeReduce(
    _ state: inout State,
    _ action: Action,
    _ environment: Environment,
    _ cancellations: CancellationTable,
  ) -> StoreActor.Effect<Action> {
    // The code runs on the main actor already, and no value leaves it.
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
