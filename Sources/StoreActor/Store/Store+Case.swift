extension Store where State: CaseReducerState, State.StateReducer.Action == Action {
  /// The store of the feature that an enum's state is the state of.
  ///
  /// ```swift
  /// switch store.case {
  /// case .detail(let store): …
  /// case .meeting(let store): …
  /// }
  /// ```
  public var `case`: State.StateReducer.CaseScope {
    State.StateReducer.scope(self)
  }
}

extension Store {
  /// The state of an enum reducer, for the choice of a case.
  public var _$caseState: State { _$readingCase { $0 } }

  /// The store of a case's feature; where the case has gone meanwhile, a store of the last state
  /// that nothing changes any more.
  ///
  /// - Parameters:
  ///   - state: The feature's state where it is there.
  ///   - action: The case of the action that holds the feature's.
  ///   - last: The feature's state as it was last seen.
  /// - Returns: The feature's store.
  public func _$scope<ChildState, ChildAction>(
    _ state: KeyPath<State, ChildState?>,
    action: CaseKeyPath<Action, ChildAction>,
    last: @autoclosure () -> ChildState,
  ) -> Store<ChildState, ChildAction> {
    if let store = scope(state, action: action) { return store }
    return Store<ChildState, ChildAction>(core: core.child(node.gone(last()), AnyCasePath(action)))
  }
}
