extension Store where State: CaseReducerState, State.StateReducer.Action == Action {
  /// The store of the feature of an enum state's present case.
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
  /// The state of an enum reducer, to select a case.
  public var _$caseState: State { _$readingCase { $0 } }

  /// The store of a case's feature; if the case is absent now, a store of its last state, which
  /// is constant.
  ///
  /// - Parameters:
  ///   - state: The feature's state, if present.
  ///   - action: The case of the action that holds the feature's.
  ///   - last: The last state of the feature that was read.
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
