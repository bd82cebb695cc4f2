public import StoreState

extension Reducer {
  /// Runs the features of an enum, `@Reducer enum Destination`, while one of them is presented.
  ///
  /// - `toPresentationState`: The presentation.
  /// - `toPresentationAction`: The case of the action that holds the presentation's.
  @inlinable
  public func ifLet<DestinationState: CaseReducerState, DestinationAction>(
    _ toPresentationState: WritableKeyPath<State, PresentationState<DestinationState>>,
    action toPresentationAction: CaseKeyPath<Action, PresentationAction<DestinationAction>>,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> some Reducer<State, Action>
  where DestinationState.StateReducer.Action == DestinationAction {
    ifLet(
      toPresentationState,
      action: toPresentationAction,
      destination: { DestinationState.StateReducer.body },
      fileID: fileID,
      filePath: filePath,
      line: line,
      column: column,
    )
  }

  /// Runs the features of an enum, `@Reducer enum Destination`, while one of them is there.
  ///
  /// - `toWrappedState`: The optional state of the features.
  /// - `toWrappedAction`: The case of the action that holds the features'.
  @inlinable
  public func ifLet<WrappedState: CaseReducerState, WrappedAction>(
    _ toWrappedState: WritableKeyPath<State, WrappedState?>,
    action toWrappedAction: CaseKeyPath<Action, WrappedAction>,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> some Reducer<State, Action> where WrappedState.StateReducer.Action == WrappedAction {
    ifLet(
      toWrappedState,
      action: toWrappedAction,
      then: { WrappedState.StateReducer.body },
      fileID: fileID,
      filePath: filePath,
      line: line,
      column: column,
    )
  }

  /// Runs the features of an enum, `@Reducer enum Path`, on each element of a navigation stack.
  ///
  /// - `toStackState`: The stack.
  /// - `toStackAction`: The case of the action that holds the stack's.
  @inlinable
  public func forEach<DestinationState: CaseReducerState, DestinationAction>(
    _ toStackState: WritableKeyPath<State, StackState<DestinationState>>,
    action toStackAction: CaseKeyPath<Action, StackAction<DestinationState, DestinationAction>>,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> some Reducer<State, Action>
  where DestinationState.StateReducer.Action == DestinationAction {
    forEach(
      toStackState,
      action: toStackAction,
      destination: { DestinationState.StateReducer.body },
      fileID: fileID,
      filePath: filePath,
      line: line,
      column: column,
    )
  }

  /// Runs the features of an enum on each row of a list.
  ///
  /// - `toElementsState`: The list.
  /// - `toElementAction`: The case of the action that holds the rows'.
  @inlinable
  public func forEach<ElementState: CaseReducerState, ElementAction, ID: Hashable & Sendable>(
    _ toElementsState: WritableKeyPath<State, IdentifiedArray<ID, ElementState>>,
    action toElementAction: CaseKeyPath<Action, IdentifiedAction<ID, ElementAction>>,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> some Reducer<State, Action> where ElementState.StateReducer.Action == ElementAction {
    forEach(
      toElementsState,
      action: toElementAction,
      element: { ElementState.StateReducer.body },
      fileID: fileID,
      filePath: filePath,
      line: line,
      column: column,
    )
  }
}
