/// What `ifLet` makes of a child that is presented.
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
    let effects = childEffects.merge(with: parent.reduce(&state, action))
    endPresentation(before, in: &state, action: presentationAction)
    return cancelling(before, ifGoneFrom: state, effects)
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
    return effects.cancelling(
      child: before.wrappedValue.map { identity($0) },
      at: self.state,
      unlessStill: after.wrappedValue.map { identity($0) },
    )
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
    let path = ChildPath(presentedAt: self.state, id: id)
    var effects = Effect<Child.Action>.none
    path.run {
      state[keyPath: self.state].wrappedValue.modifyIfPresent {
        effects = child.reduce(&$0, childAction)
      }
    }
    if effects.isNone { return .none }
    return effects.ofPresentedChild(at: path) { [action = self.action] in
      action.embed(.dismiss)
    } embed: { [action = self.action] in
      action.embed(.presented($0))
    }
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
