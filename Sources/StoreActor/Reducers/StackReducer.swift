/// The result of `forEach` on a navigation stack.
public struct _StackReducer<Parent: Reducer, Child: Reducer>: Reducer {
  @usableFromInline typealias Stack = StackState<Child.State>
  @usableFromInline typealias ActionOfStack = StackAction<Child.State, Child.Action>

  @usableFromInline let parent: Reduce<Parent.State, Parent.Action>
  @usableFromInline let child: Reduce<Child.State, Child.Action>
  @usableFromInline let state: WritableKeyPath<Parent.State, Stack>
  @usableFromInline let action: AnyCasePath<Parent.Action, ActionOfStack>
  @usableFromInline let path: ChildrenPath
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
    path = ChildrenPath(state)
    self.action = action
    self.location = location
  }

  /// Runs the element, then the parent, and ends the effects of removed elements.
  @inlinable
  public func reduce(
    into state: inout Parent.State,
    action: Parent.Action,
  ) -> Effect<Parent.Action> {
    let lineage = state[keyPath: self.state].lineage
    let counter = state[keyPath: self.state].counter
    let stackAction = self.action.extract(from: action)
    let childEffects = stackAction.map { reduceStack(into: &state, action: $0) } ?? .none
    if childEffects.isRefusal { return childEffects }
    let effects = childEffects.merge(with: parent.reduce(&state, action))
    if case .popFrom(let id)? = stackAction { state[keyPath: self.state].pop(from: id) }
    if state[keyPath: self.state].lineage !== lineage { keepIDs(from: counter, in: &state) }
    return effects.endingChildren(at: path, started: childEffects) {
      isPresent($0, in: state)
    }
  }

  /// Whether an element is on the stack.
  ///
  /// A stack that replaces another one has other elements, even with the same ids.
  @usableFromInline
  func isPresent(_ element: StackElementIdentity, in state: Parent.State) -> Bool {
    let stack = state[keyPath: self.state]
    return stack.lineage === element.lineage && stack.rows.contains(id: element.id)
  }

  /// Prevents a replacement of a stack from reusing the replaced stack's ids.
  @usableFromInline
  func keepIDs(from counter: StackElementID, in state: inout Parent.State) {
    if counter.generation > state[keyPath: self.state].counter.generation {
      state[keyPath: self.state].counter = counter
    }
  }

  /// Runs the changes that precede the parent's reducer.
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
  /// Passes the restoration to elements with interrupted effects, then to the parent.
  public func _restored(
    _ state: inout Parent.State,
    _ restoration: Restoration,
  ) -> Effect<Parent.Action> {
    var childEffects = Effect<Parent.Action>.none
    let elements = restoration.narrowed(to: action.name).elements
    for id in elements.isEmpty ? [] : Array(state[keyPath: self.state].ids) {
      guard let restoration = elements["\(id)"] else { continue }
      let identity = StackElementIdentity(id: id, lineage: state[keyPath: self.state].lineage)
      let place = ChildPlace(presentedAt: path, id: identity)
      var effects = Effect<Child.Action>.none
      place.run {
        state[keyPath: self.state][id: id].modifyIfPresent {
          effects = child.restoreChild(&$0, restoration)
        }
      }
      guard !effects.isNone else { continue }
      childEffects = childEffects.merge(
        with: effects.map { [action] in action.embed(.element(id: id, action: $0)) }
          .placed(at: place) { [action] in action.embed(.popFrom(id: id)) }
      )
    }
    let effects = childEffects.merge(with: parent._restored(&state, restoration))
    return effects.endingChildren(at: path, started: childEffects) {
      isPresent($0, in: state)
    }
  }

  private func reduceElement(
    _ id: StackElementID,
    into state: inout Parent.State,
    action: Child.Action,
  ) -> Effect<Parent.Action> {
    let identity = StackElementIdentity(id: id, lineage: state[keyPath: self.state].lineage)
    let place = ChildPlace(presentedAt: path, id: identity)
    var effects = Effect<Child.Action>.none
    place.run {
      state[keyPath: self.state][id: id].modifyIfPresent { effects = child.reduce(&$0, action) }
    }
    if effects.isNone { return .none }
    return effects.map { [action = self.action] in action.embed(.element(id: id, action: $0)) }
      .placed(at: place) { [action = self.action] in action.embed(.popFrom(id: id)) }
  }
}

/// Distinguishes an element from those of stacks that were replaced.
@usableFromInline
struct StackElementIdentity: Hashable {
  let id: StackElementID
  let lineage: StackLineage

  @usableFromInline
  static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.id == rhs.id && lhs.lineage === rhs.lineage
  }

  @usableFromInline
  func hash(into hasher: inout Hasher) {
    hasher.combine(id)
  }
}

extension StackAction {
  fileprivate var idText: String {
    switch self {
    case .element(let id, _), .popFrom(let id), .push(let id, _): id.description
    }
  }
}
