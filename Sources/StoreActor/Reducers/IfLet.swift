extension Reducer {
  /// Runs a child feature on an optional part of this reducer's state, while that is there.
  ///
  /// ```swift
  /// var body: some ReducerOf<Self> {
  ///   Reduce { state, action in … }
  ///     .ifLet(\.child, action: \.child) {
  ///       Child()
  ///     }
  /// }
  /// ```
  ///
  /// The child runs before this reducer, so that it handles its action while it is still there.
  /// When this reducer makes it nil, or puts another child in its place (one with another `id`, or
  /// for an enum: of another case), the effects of the old child are cancelled. An action for a
  /// child that is not there is reported and ignored.
  ///
  /// - `toWrappedState`: The optional state of the child.
  /// - `toWrappedAction`: The case of the action that holds the child's.
  /// - `wrapped`: The child feature.
  @inlinable
  public func ifLet<WrappedState, WrappedAction, Wrapped: Reducer<WrappedState, WrappedAction>>(
    _ toWrappedState: WritableKeyPath<State, WrappedState?>,
    action toWrappedAction: CaseKeyPath<Action, WrappedAction>,
    @ReducerBuilder<WrappedState, WrappedAction> then wrapped: () -> Wrapped,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> some Reducer<State, Action> {
    _IfLetReducer(
      parent: self,
      child: wrapped(),
      state: toWrappedState,
      action: AnyCasePath(toWrappedAction),
      location: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }

  /// Shows an alert, a confirmation dialog, or another state that is over with any action.
  ///
  /// - `toWrappedState`: The optional state.
  /// - `toWrappedAction`: The case of the action that holds its actions.
  @inlinable
  public func ifLet<WrappedState: _EphemeralState, WrappedAction>(
    _ toWrappedState: WritableKeyPath<State, WrappedState?>,
    action toWrappedAction: CaseKeyPath<Action, WrappedAction>,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> some Reducer<State, Action> {
    ifLet(
      toWrappedState,
      action: toWrappedAction,
      then: { EmptyReducer<WrappedState, WrappedAction>() },
      fileID: fileID,
      filePath: filePath,
      line: line,
      column: column,
    )
  }
}

/// What ``Reducer/ifLet(_:action:then:fileID:filePath:line:column:)`` makes.
public struct _IfLetReducer<Parent: Reducer, Child: Reducer>: Reducer {
  @usableFromInline let parent: Reduce<Parent.State, Parent.Action>
  @usableFromInline let child: Reduce<Child.State, Child.Action>
  @usableFromInline let state: WritableKeyPath<Parent.State, Child.State?>
  @usableFromInline let action: AnyCasePath<Parent.Action, Child.Action>
  @usableFromInline let embed: @Sendable (Child.Action) -> Parent.Action
  @usableFromInline let identity = ChildIdentity<Child.State>(.idOrCase)
  @usableFromInline let ephemerality = Ephemerality<Child.State, Child.Action>()
  @usableFromInline let location: IssueLocation

  @inlinable
  init(
    parent: Parent,
    child: Child,
    state: WritableKeyPath<Parent.State, Child.State?>,
    action: AnyCasePath<Parent.Action, Child.Action>,
    location: IssueLocation,
  ) {
    self.parent = parent._prepared()
    self.child = child._prepared()
    self.state = state
    self.action = action
    embed = { action.embed($0) }
    self.location = location
  }

  /// Runs the child, then the parent, and cancels what is left of a child that has gone.
  @inlinable
  public func reduce(
    into state: inout Parent.State,
    action: Parent.Action,
  ) -> Effect<Parent.Action> {
    let childEffects = reduceChild(into: &state, action: action)
    let before = state[keyPath: self.state].map { identity($0) }
    let parentEffects = parent.reduce(&state, action)
    let effects = childEffects.merge(with: parentEffects)
    guard let before else { return effects }
    let after = state[keyPath: self.state].map { identity($0) }
    if before == after {
      if ephemerality.isPossible { endEphemeral(in: &state, action: action) }
      return effects
    }
    return effects.merge(with: .cancel(child: ChildPath(at: self.state, id: before)))
  }

  /// Makes an alert nil after an action from it.
  @usableFromInline
  func endEphemeral(in state: inout Parent.State, action: Parent.Action) {
    guard let childAction = self.action.extract(from: action) else { return }
    guard ephemerality.ends(state[keyPath: self.state], with: childAction) else { return }
    state[keyPath: self.state] = nil
  }

  @inlinable
  func reduceChild(
    into state: inout Parent.State,
    action: Parent.Action,
  ) -> Effect<Parent.Action> {
    guard let childAction = self.action.extract(from: action) else { return .none }
    guard let id = state[keyPath: self.state].map({ identity($0) }) else {
      reportAbsentChild(.ifLet, action: childAction, at: location)
      return .none
    }
    let path = ChildPath(at: self.state, id: id)
    var effects = Effect<Child.Action>.none
    path.run {
      state[keyPath: self.state].modifyIfPresent { effects = child.reduce(&$0, childAction) }
    }
    if effects.isNone { return .none }
    return effects.map(embed).cancellable(child: path)
  }
}

extension Effect {
  /// Cancels everything that a child has running.
  @usableFromInline
  static func cancel(child path: NavigationIDPath) -> Self {
    Self(.cancel(CancelID(child: path)))
  }

  /// Makes the effects of a child end when the child goes.
  @usableFromInline
  func cancellable(child path: NavigationIDPath) -> Self {
    switch operation {
    case .none, .send: self
    default: cancellable(by: CancelID(child: path), cancelInFlight: false)
    }
  }
}

extension Optional {
  /// Changes the wrapped value in place, without a second reference to it that would make
  /// collections in it copy themselves.
  ///
  /// - Returns: Whether there was a value.
  @inlinable
  @discardableResult
  mutating func modifyIfPresent(_ body: (inout Wrapped) -> Void) -> Bool {
    guard var wrapped = take() else { return false }
    body(&wrapped)
    self = .some(wrapped)
    return true
  }
}
