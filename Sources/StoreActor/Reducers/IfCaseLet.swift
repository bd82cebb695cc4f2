extension Reducer {
  /// Runs a child feature on one case of this reducer's enum state, while the state is in
  /// this case.
  ///
  /// The child runs before this reducer. When this reducer changes the state to another case, or
  /// replaces the child by one with another `id`, the effects of the old child are cancelled. An
  /// action for an absent child is reported and ignored.
  ///
  /// - `toCaseState`: The case of the state that holds the child's.
  /// - `toCaseAction`: The case of the action that holds the child's.
  /// - `caseReducer`: The child feature.
  @inlinable
  public func ifCaseLet<CaseState, CaseAction, CaseReducer: Reducer<CaseState, CaseAction>>(
    _ toCaseState: CaseKeyPath<State, CaseState>,
    action toCaseAction: CaseKeyPath<Action, CaseAction>,
    @ReducerBuilder<CaseState, CaseAction> then caseReducer: () -> CaseReducer,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> some Reducer<State, Action> {
    _IfCaseLetReducer(
      parent: self,
      child: caseReducer(),
      state: AnyCasePath(toCaseState),
      path: ChildrenPath(toCaseState),
      action: AnyCasePath(toCaseAction),
      location: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }
}

/// The result of ``Reducer/ifCaseLet(_:action:then:fileID:filePath:line:column:)``.
public struct _IfCaseLetReducer<Parent: Reducer, Child: Reducer>: Reducer {
  @usableFromInline let parent: Reduce<Parent.State, Parent.Action>
  @usableFromInline let child: Reduce<Child.State, Child.Action>
  @usableFromInline let path: ChildrenPath
  @usableFromInline let state: AnyCasePath<Parent.State, Child.State>
  @usableFromInline let action: AnyCasePath<Parent.Action, Child.Action>
  @usableFromInline let embed: @Sendable (Child.Action) -> Parent.Action
  @usableFromInline let identity = ChildIdentity<Child.State>(.idOnly)
  @usableFromInline let location: IssueLocation

  @inlinable
  package init(
    parent: Parent,
    child: Child,
    state: AnyCasePath<Parent.State, Child.State>,
    path: ChildrenPath,
    action: AnyCasePath<Parent.Action, Child.Action>,
    location: IssueLocation,
  ) {
    self.parent = parent._prepared()
    self.child = child._prepared()
    self.path = path
    self.state = state
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
    if childEffects.isRefusal { return childEffects }
    let effects = childEffects.merge(with: parent.reduce(&state, action))
    return effects.endingChildren(at: path, started: childEffects) { (id: AnyHashable) in
      id == self.state.extract(from: state).map { identity($0) }
    }
  }

  @inlinable
  func reduceChild(
    into state: inout Parent.State,
    action: Parent.Action,
  ) -> Effect<Parent.Action> {
    guard let childAction = self.action.extract(from: action) else { return .none }
    guard var childState = self.state.extract(from: state) else {
      reportAbsentChild(.ifCaseLet, action: childAction, at: location)
      return .none
    }
    let place = ChildPlace(at: path, id: identity(childState))
    var effects = Effect<Child.Action>.none
    place.run { effects = child.reduce(&childState, childAction) }
    if identity.id != nil { place.follow(identity(childState)) }
    state = self.state.embed(childState)
    return effects.ofChild(at: place, embed: embed)
  }

  /// Passes the restoration to the child, if its case is present, then to the parent.
  public func _restored(
    _ state: inout Parent.State,
    _ restoration: Restoration,
  ) -> Effect<Parent.Action> {
    var childEffects = Effect<Parent.Action>.none
    if var childState = self.state.extract(from: state) {
      let place = ChildPlace(at: path, id: identity(childState))
      var effects = Effect<Child.Action>.none
      place.run {
        effects = child.restoreChild(&childState, restoration.narrowed(to: action.name))
      }
      state = self.state.embed(childState)
      childEffects = effects.ofChild(at: place, embed: embed)
    }
    let effects = childEffects.merge(with: parent._restored(&state, restoration))
    return effects.endingChildren(at: path, started: childEffects) { (id: AnyHashable) in
      id == self.state.extract(from: state).map { identity($0) }
    }
  }
}
