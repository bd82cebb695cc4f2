extension Reducer {
  /// Runs a child feature while it is present: on an optional part of this reducer's state, or on a
  /// presented one.
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
  /// - The child runs before this reducer, so that it handles its action while it is present.
  /// - When the child is removed or replaced (by one with another `id`, or for an enum by another
  ///   case), its effects and those of its presented children are cancelled. The effects of this
  ///   reducer continue.
  /// - An alert, or another `_EphemeralState`, ends with any action from it.
  /// - An action for an absent child is reported; only this reducer handles it.
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

  /// Runs a child feature whose action is not a ``CasePathable`` enum while its optional state
  /// is present.
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

  /// Runs the feature that a state provides while the state is present: the feature of a `@Reducer
  /// enum`, or of an alert or another `_EphemeralState`, which ends with any action.
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

  /// Runs the feature that an optional state provides, for actions that are not a
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

  /// Adds a child to this reducer, by the form in which the child is held.
  ///
  /// Exactly one form matches, as the forms of state and action are the same.
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

/// The result of `ifLet` on a child whose state is optional.
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

  /// Runs the child, then the parent, and ends the effects of a removed child.
  @inlinable
  public func reduce(
    into state: inout Parent.State,
    action: Parent.Action,
  ) -> Effect<Parent.Action> {
    let childEffects = reduceChild(into: &state, action: action)
    let before = ephemerality.isPossible ? state[keyPath: self.state].map { identity($0) } : nil
    if childEffects.isRefusal { return childEffects }
    let effects = childEffects.merge(with: parent.reduce(&state, action))
    if let before { endEphemeral(before, in: &state, action: action) }
    return effects.endingChildren(at: path, started: childEffects) { (id: AnyHashable) in
      id == state[keyPath: self.state].map { identity($0) }
    }
  }

  /// Sets an alert to nil after an action from it, unless the parent has replaced it.
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

  /// Passes the restoration to the child, if it is present, then to the parent.
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
          effects = child.restoreChild(&$0, restoration.narrowed(to: action.name))
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
