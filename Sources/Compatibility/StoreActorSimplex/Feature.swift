public import StoreActor

extension ReducerProtocol where ReducerState == Never {
  /// Returns the feature as a reducer of `StoreActor`, for a daemon or for `TestStore(remote:)`.
  ///
  /// ```swift
  /// let store = Store(initialState: MyView.ViewState()) { MyReducer().feature() }
  /// ```
  ///
  /// Its state is the view's `ViewState` as one value, without a view. In a daemon, the state and
  /// the action need wire forms, `ReplicatedState` and `WireAction`, which an extension can add
  /// without a change of the feature.
  ///
  /// - Returns: The reducer.
  public func feature() -> some StoreActor.Reducer<Target.ViewState, Action> {
    Reduce { state, action in
      let container = StateContainer<Target>(
        of: SimplexState(viewState: state, reducerState: nil)
      )
      let effect = reduce(into: container, action: action).effect
      if let changed = container.value.viewState { state = changed }
      return effect
    }
  }
}
