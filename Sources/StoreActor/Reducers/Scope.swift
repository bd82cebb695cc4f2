/// Runs a child feature on a part of its parent's state.
///
/// ```swift
/// var body: some ReducerOf<Self> {
///   Scope(\.counter, action: \.counter) {
///     Counter()
///   }
///   Reduce { state, action in … }
/// }
/// ```
///
/// List a scope before the parent's own logic, so that a child handles its action before the parent
/// changes the child's state.
public struct Scope<ParentState, ParentAction, Child: Reducer>: Reducer {
  @usableFromInline
  package enum StatePath {
    case property(WritableKeyPath<ParentState, Child.State>)
    case enumCase(AnyCasePath<ParentState, Child.State>, IssueLocation)
  }

  @usableFromInline let state: StatePath
  @usableFromInline let action: AnyCasePath<ParentAction, Child.Action>
  @usableFromInline let embed: @Sendable (Child.Action) -> ParentAction
  @usableFromInline let child: Reduce<Child.State, Child.Action>

  @usableFromInline
  package init(
    state: StatePath,
    at keyPath: AnyKeyPath,
    action: AnyCasePath<ParentAction, Child.Action>,
    child: () -> Child,
  ) {
    self.state = state
    self.action = action
    embed = { action.embed($0) }
    self.child = ChildrenPath.Scopes.adding(keyPath) { child()._prepared() }
  }

  /// Runs a child on a property of the parent's state.
  ///
  /// - Parameters:
  ///   - state: The child's state in the parent's.
  ///   - action: The case of the parent's action that holds the child's.
  ///   - child: The child feature.
  @inlinable
  public init<ChildState, ChildAction>(
    _ state: WritableKeyPath<ParentState, ChildState>,
    action: CaseKeyPath<ParentAction, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> child: () -> Child,
  ) where ChildState == Child.State, ChildAction == Child.Action {
    self.init(state: .property(state), at: state, action: AnyCasePath(action), child: child)
  }

  /// Runs a child on a property of the parent's state.
  ///
  /// - Parameters:
  ///   - state: The child's state in the parent's.
  ///   - action: The case of the parent's action that holds the child's.
  ///   - child: The child feature.
  @inlinable
  public init<ChildState, ChildAction>(
    state: WritableKeyPath<ParentState, ChildState>,
    action: CaseKeyPath<ParentAction, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> child: () -> Child,
  ) where ChildState == Child.State, ChildAction == Child.Action {
    self.init(state: .property(state), at: state, action: AnyCasePath(action), child: child)
  }

  /// Runs a child on one case of a parent's state that is an enum.
  ///
  /// Prefer ``Reducer/ifCaseLet(_:action:then:fileID:filePath:line:column:)``, which also runs the
  /// child before the parent and cancels its effects when the case is left.
  ///
  /// - `state`: The case of the parent's state that holds the child's.
  /// - `action`: The case of the parent's action that holds the child's.
  /// - `child`: The child feature.
  public init<ChildState, ChildAction>(
    state: CaseKeyPath<ParentState, ChildState>,
    action: CaseKeyPath<ParentAction, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> child: () -> Child,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) where ChildState == Child.State, ChildAction == Child.Action {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    self.init(
      state: .enumCase(AnyCasePath(state), location),
      at: state,
      action: AnyCasePath(action),
      child: child,
    )
  }

  /// Runs the child on its part of the state if the action is the child's.
  @inlinable
  public func reduce(
    into state: inout ParentState,
    action: ParentAction,
  ) -> Effect<ParentAction> {
    guard let childAction = self.action.extract(from: action) else { return .none }
    switch self.state {
    case .property(let path):
      return child.reduce(&state[keyPath: path], childAction).map(embed)
    case .enumCase(let path, let location):
      return reduceCase(path, &state, childAction, location).map(embed)
    }
  }

  @usableFromInline
  func reduceCase(
    _ path: AnyCasePath<ParentState, Child.State>,
    _ state: inout ParentState,
    _ action: Child.Action,
    _ location: IssueLocation,
  ) -> Effect<Child.Action> {
    guard var childState = path.extract(from: state) else {
      reportAbsentChild(.caseScope, action: action, at: location)
      return .none
    }
    defer { state = path.embed(childState) }
    return child.reduce(&childState, action)
  }

  /// Passes the restoration to the child.
  public func _restored(
    _ state: inout ParentState,
    _ restoration: Restoration,
  ) -> Effect<ParentAction> {
    let restoration = restoration.narrowed(to: action.name)
    switch self.state {
    case .property(let path):
      return child._restored(&state[keyPath: path], restoration).map(embed)
    case .enumCase(let path, _):
      guard var childState = path.extract(from: state) else { return .none }
      defer { state = path.embed(childState) }
      return child._restored(&childState, restoration).map(embed)
    }
  }
}
