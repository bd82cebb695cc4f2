extension Reducer {
  /// Runs a child feature while it is presented.
  ///
  /// ```swift
  /// var body: some ReducerOf<Self> {
  ///   Reduce { state, action in … }
  ///     .ifLet(\.$destination, action: \.destination) {
  ///       Destination()
  ///     }
  /// }
  /// ```
  ///
  /// - The child runs before this reducer, so that it handles its action while it is still there.
  ///   At `dismiss` this reducer runs first, and then the child's state becomes nil.
  /// - When the child goes, or another one comes in its place (one with another `id`, or for an
  ///   enum of another case), its effects are cancelled, those of what it presents itself included.
  ///   The effects of this reducer go on.
  /// - The child can end its presentation with `@Dependency(\.dismiss)`.
  /// - An alert, or another ``_EphemeralState``, is gone after any action from it.
  /// - An action for a child that is absent is reported, and ignored but for this reducer.
  ///
  /// - `toPresentationState`: The presentation: the projection of a property that is marked
  ///   `@Presents`.
  /// - `toPresentationAction`: The case of the action that holds the presentation's.
  /// - `destination`: The child feature.
  @inlinable
  public func ifLet<
    DestinationState,
    DestinationAction,
    Destination: Reducer<DestinationState, DestinationAction>,
  >(
    _ toPresentationState: WritableKeyPath<State, PresentationState<DestinationState>>,
    action toPresentationAction: CaseKeyPath<Action, PresentationAction<DestinationAction>>,
    @ReducerBuilder<DestinationState, DestinationAction> destination: () -> Destination,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> some Reducer<State, Action> {
    _PresentationReducer(
      parent: self,
      child: destination(),
      state: toPresentationState,
      action: AnyCasePath(toPresentationAction),
      location: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }

  /// Presents an alert, a confirmation dialog, or another state that is over with any action.
  ///
  /// - `toPresentationState`: The presentation.
  /// - `toPresentationAction`: The case of the action that holds the presentation's.
  @inlinable
  public func ifLet<DestinationState: _EphemeralState, DestinationAction>(
    _ toPresentationState: WritableKeyPath<State, PresentationState<DestinationState>>,
    action toPresentationAction: CaseKeyPath<Action, PresentationAction<DestinationAction>>,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> some Reducer<State, Action> {
    ifLet(
      toPresentationState,
      action: toPresentationAction,
      destination: { EmptyReducer<DestinationState, DestinationAction>() },
      fileID: fileID,
      filePath: filePath,
      line: line,
      column: column,
    )
  }
}

/// What ``Reducer/ifLet(_:action:destination:fileID:filePath:line:column:)`` makes.
public struct _PresentationReducer<Parent: Reducer, Child: Reducer>: Reducer {
  @usableFromInline typealias Presentation = PresentationState<Child.State>

  @usableFromInline let parent: Reduce<Parent.State, Parent.Action>
  @usableFromInline let child: Reduce<Child.State, Child.Action>
  @usableFromInline let state: WritableKeyPath<Parent.State, Presentation>
  @usableFromInline let action: AnyCasePath<Parent.Action, PresentationAction<Child.Action>>
  @usableFromInline let identity = ChildIdentity<Child.State>(.idOrCase)
  @usableFromInline let ephemerality = Ephemerality<Child.State, Child.Action>()
  @usableFromInline let location: IssueLocation

  @inlinable
  init(
    parent: Parent,
    child: Child,
    state: WritableKeyPath<Parent.State, PresentationState<Child.State>>,
    action: AnyCasePath<Parent.Action, PresentationAction<Child.Action>>,
    location: IssueLocation,
  ) {
    self.parent = parent._prepared()
    self.child = child._prepared()
    self.state = state
    self.action = action
    self.location = location
  }

  /// Runs the child, then the parent, and cancels what is left of a child that has gone.
  @inlinable
  public func reduce(
    into state: inout Parent.State,
    action: Parent.Action,
  ) -> Effect<Parent.Action> {
    let before = state[keyPath: self.state]
    guard let presentationAction = self.action.extract(from: action) else {
      let effects = parent.reduce(&state, action)
      return cancelling(before, ifGoneFrom: state, effects)
    }
    let childEffects = reduceChild(before, into: &state, action: presentationAction)
    var effects = childEffects.merge(with: parent.reduce(&state, action))
    endPresentation(before, in: &state, action: presentationAction)
    effects = cancelling(before, ifGoneFrom: state, effects)
    return effects
  }

  /// Cancels the effects of the child that was there before, unless it still is.
  @inlinable
  func cancelling(
    _ before: Presentation,
    ifGoneFrom state: Parent.State,
    _ effects: Effect<Parent.Action>,
  ) -> Effect<Parent.Action> {
    let after = state[keyPath: self.state]
    if before.sharesBox(with: after) { return effects }
    return effects.merge(with: cancelIfGone(before, after))
  }

  @usableFromInline
  func cancelIfGone(_ before: Presentation, _ after: Presentation) -> Effect<Parent.Action> {
    guard let id = before.wrappedValue.map({ identity($0) }) else { return .none }
    if id == after.wrappedValue.map({ identity($0) }) { return .none }
    return .cancel(child: ChildPath(at: state, id: id))
  }

  @usableFromInline
  func reduceChild(
    _ before: Presentation,
    into state: inout Parent.State,
    action: PresentationAction<Child.Action>,
  ) -> Effect<Parent.Action> {
    guard let id = before.wrappedValue.map({ identity($0) }) else {
      reportAbsentChild(.presentation, action: action, at: location)
      return .none
    }
    guard case .presented(let childAction) = action else { return .none }
    let route = DismissRoute()
    let path = ChildPath(presentedAt: self.state, id: id, dismissal: route)
    var effects = Effect<Child.Action>.none
    path.run {
      state[keyPath: self.state].wrappedValue.modifyIfPresent {
        effects = child.reduce(&$0, childAction)
      }
    }
    if effects.isNone { return .none }
    let embedded = effects.map { [action = self.action] in action.embed(.presented($0)) }
    return
      embedded
      .dismissible(by: route) { [action = self.action] in action.embed(.dismiss) }
      .cancellable(child: path)
  }

  /// Makes the child absent after its `dismiss`, or after an action from an alert, unless the
  /// parent has put another child in its place.
  @usableFromInline
  func endPresentation(
    _ before: Presentation,
    in state: inout Parent.State,
    action: PresentationAction<Child.Action>,
  ) {
    guard let old = before.wrappedValue else { return }
    if case .presented(let action) = action, !ephemerality.ends(old, with: action) { return }
    let after = state[keyPath: self.state].wrappedValue
    guard identity(old) == after.map({ identity($0) }) else { return }
    state[keyPath: self.state].wrappedValue = nil
  }
}
