extension Reducer {
  /// Runs a child feature on each element of a navigation stack.
  ///
  /// ```swift
  /// var body: some ReducerOf<Self> {
  ///   Reduce { state, action in … }
  ///     .forEach(\.path, action: \.path) {
  ///       Path()
  ///     }
  /// }
  /// ```
  ///
  /// - An element runs before this reducer, so that it handles its action while it is still there.
  ///   At `popFrom` this reducer runs first, at `push` it finds the element on the stack.
  /// - When an element goes, its effects are cancelled, those of what it presents itself included.
  /// - An element can pop itself, with all that were pushed after it, with
  ///   `@Dependency(\.dismiss)`.
  /// - An action for an element that is not there is reported, and ignored but for this reducer.
  ///
  /// - `toStackState`: The stack.
  /// - `toStackAction`: The case of the action that holds the stack's.
  /// - `destination`: The feature of one element.
  @inlinable
  public func forEach<
    DestinationState,
    DestinationAction,
    Destination: Reducer<DestinationState, DestinationAction>,
  >(
    _ toStackState: WritableKeyPath<State, StackState<DestinationState>>,
    action toStackAction: CaseKeyPath<Action, StackAction<DestinationState, DestinationAction>>,
    @ReducerBuilder<DestinationState, DestinationAction> destination: () -> Destination,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> some Reducer<State, Action> {
    _StackReducer(
      parent: self,
      child: destination(),
      state: toStackState,
      action: AnyCasePath(toStackAction),
      location: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }
}

/// What ``Reducer/forEach(_:action:destination:fileID:filePath:line:column:)`` makes.
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
    let route = DismissRoute()
    let path = ChildPath(presentedAt: self.state, id: id, dismissal: route)
    var effects = Effect<Child.Action>.none
    path.run {
      state[keyPath: self.state][id: id].modifyIfPresent { effects = child.reduce(&$0, action) }
    }
    if effects.isNone { return .none }
    let embedded = effects.map { [action = self.action] childAction in
      action.embed(.element(id: id, action: childAction))
    }
    return
      embedded
      .dismissible(by: route) { [action = self.action] in action.embed(.popFrom(id: id)) }
      .cancellable(child: path)
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
