extension Reducer {
  /// Runs a child feature while it is there: on an optional part of this reducer's state, or on one
  /// that is presented.
  ///
  /// ```swift
  /// var body: some ReducerOf<Self> {
  ///   Reduce { state, action in … }
  ///     .ifLet(\.child, action: \.child) {
  ///       Child()
  ///     }
  ///     .ifLet(\.$sheet, action: \.sheet) {
  ///       Edit()
  ///     }
  /// }
  /// ```
  ///
  /// - The child runs before this reducer, so that it handles its action while it is still there.
  /// - When the child goes, or another one comes in its place (one with another `id`, or for an
  ///   enum of another case), its effects are cancelled, those of what it presents itself included.
  ///   The effects of this reducer go on.
  /// - An alert, or another `_EphemeralState`, is gone after any action from it.
  /// - An action for a child that is absent is reported, and ignored but for this reducer.
  ///
  /// A child that is presented, by a property marked `@Presents` and a ``PresentationAction``, can
  /// end its presentation with `@Dependency(\.dismiss)`. At `dismiss` this reducer runs first, and
  /// then the child's state becomes nil.
  ///
  /// - `toChildState`: The optional state of the child, or the projection of a property that is
  ///   marked `@Presents`.
  /// - `toChildAction`: The case of the action that holds the child's, or the presentation's.
  /// - `child`: The child feature.
  @inlinable
  public func ifLet<
    Slot: OptionalOrPresented,
    SlotAction: CasePathable,
    Child: Reducer<Slot._ChildState, SlotAction._ChildAction>,
  >(
    _ toChildState: WritableKeyPath<State, Slot>,
    action toChildAction: CaseKeyPath<Action, SlotAction>,
    @ReducerBuilder<Slot._ChildState, SlotAction._ChildAction> then child: () -> Child,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> Reduce<State, Action> where Slot._ChildForm == SlotAction._ChildForm {
    running(
      child(),
      on: toChildState,
      action: AnyCasePath(toChildAction),
      location: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }

  /// Runs a child feature whose action is no ``CasePathable`` enum while its optional state is
  /// there.
  ///
  /// - `toChildState`: The optional state of the child.
  /// - `toChildAction`: The case of the action that holds the child's.
  /// - `child`: The child feature.
  @inlinable
  @_disfavoredOverload
  public func ifLet<
    Slot: OptionalChildState,
    ChildAction,
    Child: Reducer<Slot._ChildState, ChildAction>,
  >(
    _ toChildState: WritableKeyPath<State, Slot>,
    action toChildAction: CaseKeyPath<Action, ChildAction>,
    @ReducerBuilder<Slot._ChildState, ChildAction> then child: () -> Child,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> Reduce<State, Action> {
    running(
      child(),
      on: toChildState,
      action: AnyCasePath(toChildAction),
      location: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }

  /// Runs the feature that a state brings with it while the state is there: that of a
  /// `@Reducer enum`, or an alert or another `_EphemeralState`, which is over with any action.
  ///
  /// ```swift
  /// Reduce { state, action in … }
  ///   .ifLet(\.$destination, action: \.destination)
  ///   .ifLet(\.$alert, action: \.alert)
  /// ```
  ///
  /// - `toChildState`: The optional state, or the projection of a property that is marked
  ///   `@Presents`.
  /// - `toChildAction`: The case of the action that holds the state's, or the presentation's.
  @inlinable
  public func ifLet<Slot: OptionalOrPresented, SlotAction: CasePathable>(
    _ toChildState: WritableKeyPath<State, Slot>,
    action toChildAction: CaseKeyPath<Action, SlotAction>,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> Reduce<State, Action>
  where
    Slot._ChildForm == SlotAction._ChildForm,
    Slot._ChildState: _SelfReducingState,
    Slot._ChildState._OwnAction == SlotAction._ChildAction
  {
    running(
      Slot._ChildState._ownReducer,
      on: toChildState,
      action: AnyCasePath(toChildAction),
      location: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }

  /// Runs the feature that an optional state brings with it, for actions that are no
  /// ``CasePathable`` enum.
  ///
  /// - `toChildState`: The optional state.
  /// - `toChildAction`: The case of the action that holds its actions.
  @inlinable
  @_disfavoredOverload
  public func ifLet<Slot: OptionalChildState>(
    _ toChildState: WritableKeyPath<State, Slot>,
    action toChildAction: CaseKeyPath<Action, Slot._ChildState._OwnAction>,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> Reduce<State, Action> where Slot._ChildState: _SelfReducingState {
    running(
      Slot._ChildState._ownReducer,
      on: toChildState,
      action: AnyCasePath(toChildAction),
      location: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }

  /// This reducer with a child, by the form in which the child is held.
  ///
  /// One of the two always fits, as the forms of state and action are the same.
  @inlinable
  package func running<Slot, SlotAction, Child: Reducer>(
    _ child: Child,
    on state: WritableKeyPath<State, Slot>,
    action: AnyCasePath<Action, SlotAction>,
    location: IssueLocation,
  ) -> Reduce<State, Action> {
    if let state = state as? WritableKeyPath<State, Child.State?>,
      let action = action as? AnyCasePath<Action, Child.Action>
    {
      return _IfLetReducer(
        parent: self,
        child: child,
        state: state,
        action: action,
        location: location,
      )
      ._prepared()
    }
    guard let state = state as? WritableKeyPath<State, PresentationState<Child.State>>,
      let action = action as? AnyCasePath<Action, PresentationAction<Child.Action>>
    else { preconditionFailure("\(Slot.self) and \(SlotAction.self) hold no \(Child.self)") }
    return _PresentationReducer(
      parent: self,
      child: child,
      state: state,
      action: action,
      location: location,
    )
    ._prepared()
  }
}

/// What `ifLet` makes of a child whose state is optional.
public struct _IfLetReducer<Parent: Reducer, Child: Reducer>: Reducer {
  @usableFromInline let parent: Reduce<Parent.State, Parent.Action>
  @usableFromInline let child: Reduce<Child.State, Child.Action>
  @usableFromInline let state: WritableKeyPath<Parent.State, Child.State?>
  @usableFromInline let action: AnyCasePath<Parent.Action, Child.Action>
  @usableFromInline let embed: @Sendable (Child.Action) -> Parent.Action
  @usableFromInline let identity = ChildIdentity<Child.State>(.idOrCase)
  @usableFromInline let ephemerality = Ephemerality<Child.State, Child.Action>()
  @usableFromInline let path: ChildrenPath
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
    path = ChildrenPath(state)
    self.action = action
    embed = { action.embed($0) }
    self.location = location
  }

  /// Runs the child, then the parent, and ends what is left of a child that has gone.
  @inlinable
  public func reduce(
    into state: inout Parent.State,
    action: Parent.Action,
  ) -> Effect<Parent.Action> {
    let childEffects = reduceChild(into: &state, action: action)
    let before = ephemerality.isPossible ? state[keyPath: self.state].map { identity($0) } : nil
    let effects = childEffects.merge(with: parent.reduce(&state, action))
    if let before { endEphemeral(before, in: &state, action: action) }
    return effects.endingChildren(at: path, started: childEffects) { (id: AnyHashable) in
      id == state[keyPath: self.state].map { identity($0) }
    }
  }

  /// Makes an alert nil after an action from it, unless the parent has put another in its place.
  @usableFromInline
  func endEphemeral(
    _ before: AnyHashable,
    in state: inout Parent.State,
    action: Parent.Action,
  ) {
    guard
      let childAction = self.action.extract(from: action),
      let child = state[keyPath: self.state],
      identity(child) == before,
      ephemerality.ends(child, with: childAction)
    else { return }
    state[keyPath: self.state] = nil
  }

  /// Tells the child, if it is there, then the parent.
  public func _restored(
    _ state: inout Parent.State,
    _ restoration: Restoration,
  ) -> Effect<Parent.Action> {
    var childEffects = Effect<Parent.Action>.none
    if let id = state[keyPath: self.state].map({ identity($0) }) {
      let place = ChildPlace(at: path, id: id)
      var effects = Effect<Child.Action>.none
      place.run {
        state[keyPath: self.state].modifyIfPresent {
          effects = child._restored(&$0, restoration.narrowed(to: action.name))
        }
      }
      childEffects = effects.ofChild(at: place, embed: embed)
    }
    let effects = childEffects.merge(with: parent._restored(&state, restoration))
    return effects.endingChildren(at: path, started: childEffects) { (id: AnyHashable) in
      id == state[keyPath: self.state].map { identity($0) }
    }
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
    let place = ChildPlace(at: path, id: id)
    var effects = Effect<Child.Action>.none
    place.run {
      state[keyPath: self.state].modifyIfPresent { effects = child.reduce(&$0, childAction) }
    }
    if identity.id != nil, let id = state[keyPath: self.state].map({ identity($0) }) {
      place.follow(id)
    }
    return effects.ofChild(at: place, embed: embed)
  }
}
