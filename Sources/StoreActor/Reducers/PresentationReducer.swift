/// The result of `ifLet` on a presented child.
public struct _PresentationReducer<Parent: Reducer, Child: Reducer>: Reducer {
  @usableFromInline typealias Presentation = PresentationState<Child.State>

  @usableFromInline let parent: Reduce<Parent.State, Parent.Action>
  @usableFromInline let child: Reduce<Child.State, Child.Action>
  @usableFromInline let state: WritableKeyPath<Parent.State, Presentation>
  @usableFromInline let action: AnyCasePath<Parent.Action, PresentationAction<Child.Action>>
  @usableFromInline let identity = ChildIdentity<Child.State>(.idOrCase)
  @usableFromInline let ephemerality = Ephemerality<Child.State, Child.Action>()
  @usableFromInline let path: ChildrenPath
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
    path = ChildrenPath(state)
    self.action = action
    self.location = location
  }

  /// Runs the child, then the parent, and ends the effects of a removed child.
  @inlinable
  public func reduce(
    into state: inout Parent.State,
    action: Parent.Action,
  ) -> Effect<Parent.Action> {
    guard let presentationAction = self.action.extract(from: action) else {
      let effects = parent.reduce(&state, action)
      return effects.endingChildren(at: path, started: .none) { isPresent($0, in: state) }
    }
    let before = state[keyPath: self.state]
    let childEffects = reduceChild(before, into: &state, action: presentationAction)
    if childEffects.isRefusal { return childEffects }
    let effects = childEffects.merge(with: parent.reduce(&state, action))
    endPresentation(before, in: &state, action: presentationAction)
    return effects.endingChildren(at: path, started: childEffects) {
      isPresent($0, in: state)
    }
  }
  /// Passes the restoration to the child, if it is presented, then to the parent.
  public func _restored(
    _ state: inout Parent.State,
    _ restoration: Restoration,
  ) -> Effect<Parent.Action> {
    var childEffects = Effect<Parent.Action>.none
    if let id = state[keyPath: self.state].wrappedValue.map({ identity($0) }) {
      let place = ChildPlace(presentedAt: path, id: id)
      let restoration = restoration.narrowed(to: action.name.appending(.named("presented")))
      var effects = Effect<Child.Action>.none
      place.run {
        state[keyPath: self.state].wrappedValue.modifyIfPresent {
          effects = child.restoreChild(&$0, restoration)
        }
      }
      if !effects.isNone {
        childEffects = effects.map { [action] in action.embed(.presented($0)) }
          .placed(at: place) { [action] in action.embed(.dismiss) }
      }
    }
    let effects = childEffects.merge(with: parent._restored(&state, restoration))
    return effects.endingChildren(at: path, started: childEffects) {
      isPresent($0, in: state)
    }
  }

  @usableFromInline
  func isPresent(_ id: AnyHashable, in state: Parent.State) -> Bool {
    id == state[keyPath: self.state].wrappedValue.map { identity($0) }
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
    let place = ChildPlace(presentedAt: path, id: id)
    var effects = Effect<Child.Action>.none
    place.run {
      state[keyPath: self.state].wrappedValue.modifyIfPresent {
        effects = child.reduce(&$0, childAction)
      }
    }
    if effects.isNone { return .none }
    if identity.id != nil, let id = state[keyPath: self.state].wrappedValue.map({ identity($0) }) {
      place.become(id)
    }
    return effects.map { [action = self.action] in action.embed(.presented($0)) }
      .placed(at: place) { [action = self.action] in action.embed(.dismiss) }
  }

  /// Sets the child to nil after its `dismiss`, or after an action from an alert, unless the parent
  /// has replaced it.
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
