public import StoreActor

// The operators of 1.x before case key paths. They do not require a `CasePathable` action, so each
// kind of child has its own form of each operator.

extension Reducer {
  /// Runs a child feature while its optional state is present: `action: /Action.child`.
  ///
  /// - `toChildState`: The optional state of the child.
  /// - `toChildAction`: The case of the action that contains the child's.
  /// - `child`: The child feature.
  public func ifLet<ChildState, ChildAction, Child: Reducer<ChildState, ChildAction>>(
    _ toChildState: WritableKeyPath<State, ChildState?>,
    action toChildAction: AnyCasePath<Action, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> then child: () -> Child,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> Reduce<State, Action> {
    running(
      child(),
      on: toChildState,
      action: toChildAction,
      location: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }

  /// Runs a child feature while it is presented: `action: /Action.destination`.
  ///
  /// - `toPresentationState`: The projection of a property that is marked `@PresentationState` or
  ///   `@Presents`.
  /// - `toPresentationAction`: The case of the action that contains the
  ///   presentation's.
  /// - `destination`: The child feature.
  public func ifLet<ChildState, ChildAction, Child: Reducer<ChildState, ChildAction>>(
    _ toPresentationState: WritableKeyPath<State, PresentationState<ChildState>>,
    action toPresentationAction: AnyCasePath<Action, PresentationAction<ChildAction>>,
    @ReducerBuilder<ChildState, ChildAction> destination: () -> Child,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> Reduce<State, Action> {
    running(
      destination(),
      on: toPresentationState,
      action: toPresentationAction,
      location: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }

  /// Shows an alert, or another state that any action dismisses, while it is present: `action:
  /// /Action.alert`.
  ///
  /// - `toChildState`: The optional state, or the projection of a property that is marked
  ///   `@PresentationState` or `@Presents`.
  /// - `toChildAction`: The case of the action that contains the state's, or the
  ///   presentation's.
  public func ifLet<Slot: EphemeralSlot>(
    _ toChildState: WritableKeyPath<State, Slot>,
    action toChildAction: AnyCasePath<Action, Slot._SlotAction>,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> Reduce<State, Action> {
    running(
      Slot._EphemeralChild._ownReducer,
      on: toChildState,
      action: toChildAction,
      location: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }

  /// Runs a child feature while this reducer's state, an enum, is of one case.
  ///
  /// - `toCaseState`: The case of the state that contains the child's.
  /// - `toCaseAction`: The case of the action that contains the child's.
  /// - `caseReducer`: The child feature.
  public func ifCaseLet<CaseState, CaseAction, CaseReducer: Reducer<CaseState, CaseAction>>(
    _ toCaseState: AnyCasePath<State, CaseState>,
    action toCaseAction: AnyCasePath<Action, CaseAction>,
    @ReducerBuilder<CaseState, CaseAction> then caseReducer: () -> CaseReducer,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> some Reducer<State, Action> {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    return _IfCaseLetReducer(
      parent: self,
      child: caseReducer(),
      state: toCaseState,
      path: ChildrenPath(keyPath(ofOperatorAt: location, CaseState.self)),
      action: toCaseAction,
      location: location,
    )
  }

  /// Runs a child feature on each row of a list, with actions that are pairs of an id and an
  /// action: `action: /Action.row(id:action:)`.
  ///
  /// - `toElementsState`: The list.
  /// - `toElementAction`: The case of the action that contains a row's id and
  ///   its action.
  /// - `element`: The feature of one row.
  public func forEach<
    ID: Hashable & Sendable,
    ElementState,
    ElementAction,
    Element: Reducer<ElementState, ElementAction>,
  >(
    _ toElementsState: WritableKeyPath<State, IdentifiedArray<ID, ElementState>>,
    action toElementAction: AnyCasePath<Action, (ID, ElementAction)>,
    @ReducerBuilder<ElementState, ElementAction> element: () -> Element,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> Reduce<State, Action> {
    let toElementsAction = AnyCasePath<Action, IdentifiedAction<ID, ElementAction>> {
      switch $0 {
      case .element(let id, let action): toElementAction.embed((id, action))
      }
    } extract: { action in
      toElementAction.extract(from: action).map { .element(id: $0, action: $1) }
    }
    return running(
      element(),
      onEachOf: toElementsState,
      action: toElementsAction,
      location: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }

  /// Runs a child feature on each element of a navigation stack: `action: /Action.path`.
  ///
  /// - `toStackState`: The stack.
  /// - `toStackAction`: The case of the action that contains the stack's.
  /// - `destination`: The feature of one element.
  public func forEach<ElementState, ElementAction, Element: Reducer<ElementState, ElementAction>>(
    _ toStackState: WritableKeyPath<State, StackState<ElementState>>,
    action toStackAction: AnyCasePath<Action, StackAction<ElementState, ElementAction>>,
    @ReducerBuilder<ElementState, ElementAction> destination: () -> Element,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> Reduce<State, Action> {
    running(
      destination(),
      onEachOf: toStackState,
      action: toStackAction,
      location: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }
}

extension Scope {
  /// Runs a child on a property of the parent's state: `action: /Action.child`.
  ///
  /// - Parameters:
  ///   - state: The child's state in the parent's.
  ///   - action: The case of the parent's action that contains the child's.
  ///   - child: The child feature.
  public init<ChildState, ChildAction>(
    state: WritableKeyPath<ParentState, ChildState>,
    action: AnyCasePath<ParentAction, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> child: () -> Child,
  ) where ChildState == Child.State, ChildAction == Child.Action {
    self.init(state: .property(state), at: state, action: action, child: child)
  }

  /// Runs a child on one case of a parent's state that is an enum.
  ///
  /// - `state`: The case of the parent's state that contains the child's.
  /// - `action`: The case of the parent's action that contains the child's.
  /// - `child`: The child feature.
  public init<ChildState, ChildAction>(
    state: AnyCasePath<ParentState, ChildState>,
    action: AnyCasePath<ParentAction, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> child: () -> Child,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) where ChildState == Child.State, ChildAction == Child.Action {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    self.init(
      state: .enumCase(state, location),
      at: keyPath(ofOperatorAt: location, ChildState.self),
      action: action,
      child: child,
    )
  }
}

/// The part of a state that may contain an alert or another ephemeral state: an optional or a
/// `PresentationState`.
public protocol EphemeralSlot {
  /// The ephemeral state.
  associatedtype _EphemeralChild: _EphemeralState

  /// The action in the slot's case.
  associatedtype _SlotAction
}

extension Optional: EphemeralSlot where Wrapped: _EphemeralState {
  /// The ephemeral state.
  public typealias _EphemeralChild = Wrapped

  /// The action of the state.
  public typealias _SlotAction = Wrapped.Action
}

extension PresentationState: EphemeralSlot where State: _EphemeralState {
  /// The ephemeral state.
  public typealias _EphemeralChild = State

  /// The presentation's action.
  public typealias _SlotAction = PresentationAction<State.Action>
}
