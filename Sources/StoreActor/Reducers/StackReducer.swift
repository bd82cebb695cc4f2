/// What `forEach` makes of a navigation stack.
public struct _StackReducer<Parent: Reducer, Child: Reducer>: Reducer {
  @usableFromInline typealias Stack = StackState<Child.State>
  @usableFromInline typealias ActionOfStack = StackAction<Child.State, Child.Action>

  @usableFromInline let parent: Reduce<Parent.State, Parent.Action>
  @usableFromInline let child: Reduce<Child.State, Child.Action>
  @usableFromInline let state: WritableKeyPath<Parent.State, Stack>
  @usableFromInline let action: AnyCasePath<Parent.Action, ActionOfStack>
  @usableFromInline let location: IssueLocation

  @inlinable
  init(
    parent: Parent,
    child: Child,
    state: WritableKeyPath<Parent.State, StackState<Child.State>>,
    action: AnyCasePath<Parent.Action, StackAction<Child.State, Child.Action>>,
    location: IssueLocation,
  ) {
    self.parent = parent._prepared()
    self.child = child._prepared()
    self.state = state
    self.action = action
    self.location = location
  }

  /// Runs the element, then the parent, and cancels what is left of elements that have gone.
  @inlinable
  public func reduce(
    into state: inout Parent.State,
    action: Parent.Action,
  ) -> Effect<Parent.Action> {
    let before = state[keyPath: self.state]
    let stackAction = self.action.extract(from: action)
    let effects =
      stackAction.map { reduceStack(into: &state, action: $0) } ?? .none
    let parentEffects = parent.reduce(&state, action)
    if case .popFrom(let id)? = stackAction { state[keyPath: self.state].pop(from: id) }
    return
      effects
      .merge(with: parentEffects)
      .merge(with: cancelGone(before, in: &state))
  }

  /// What happens before the parent sees the action.
  @usableFromInline
  func reduceStack(into state: inout Parent.State, action: ActionOfStack) -> Effect<Parent.Action> {
    let stack = state[keyPath: self.state]
    switch action {
    case .element(let id, let childAction):
      guard stack.rows.contains(id: id) else { break }
      return reduceElement(id, into: &state, action: childAction)
    case .popFrom(let id):
      guard stack.rows.contains(id: id) else { break }
      return .none
    case .push(let id, let element):
      if id == stack.nextID {
        state[keyPath: self.state].push(element, id: id)
      } else {
        reportUnexpectedElementID(id, on: stack, action: action, at: location)
      }
      return .none
    }
    reportAbsentChild(.stack(id: action.idText), action: action, at: location)
    return .none
  }

  private func reduceElement(
    _ id: StackElementID,
    into state: inout Parent.State,
    action: Child.Action,
  ) -> Effect<Parent.Action> {
    let path = ChildPath(presentedAt: self.state, id: id)
    var effects = Effect<Child.Action>.none
    path.run {
      state[keyPath: self.state][id: id].modifyIfPresent { effects = child.reduce(&$0, action) }
    }
    if effects.isNone { return .none }
    return effects.ofPresentedChild(at: path) { [action = self.action] in
      action.embed(.popFrom(id: id))
    } embed: { [action = self.action] in
      action.embed(.element(id: id, action: $0))
    }
  }

  /// Cancels the effects of elements that were there before and are not any more.
  ///
  /// A stack that was assigned in the place of another one has other elements, whatever their ids.
  @usableFromInline
  func cancelGone(_ before: Stack, in state: inout Parent.State) -> Effect<Parent.Action> {
    let after = state[keyPath: self.state]
    let isReplaced = before.lineage !== after.lineage
    if isReplaced, before.counter.generation > after.counter.generation {
      state[keyPath: self.state].counter = before.counter
    }
    if before.isEmpty { return .none }
    let gone = before.ids.filter { isReplaced || !after.rows.contains(id: $0) }
    return .merge(gone.map { .cancel(child: ChildPath(at: self.state, id: $0)) })
  }
}

extension StackAction {
  fileprivate var idText: String {
    switch self {
    case .element(let id, _), .popFrom(let id), .push(let id, _): id.description
    }
  }
}
