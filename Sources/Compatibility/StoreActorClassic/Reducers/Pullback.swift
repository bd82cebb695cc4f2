public import StoreActor

extension AnyReducer {
  /// Returns a reducer of a parent that runs this one on the child's state, which is
  /// always present.
  ///
  /// ```swift
  /// timerReducer.pullback(
  ///   state: \.timer,
  ///   action: /GameAction.timer,
  ///   environment: { TimerEnvironment(mainQueue: $0.mainQueue) }
  /// )
  /// ```
  ///
  /// - Parameters:
  ///   - toLocalState: The child's state in the parent's.
  ///   - toLocalAction: The case of the parent's action that contains the child's.
  ///   - toLocalEnvironment: Returns the child's environment for the parent's.
  /// - Returns: The reducer of the parent.
  public func pullback<GlobalState, GlobalAction, GlobalEnvironment>(
    state toLocalState: WritableKeyPath<GlobalState, State>,
    action toLocalAction: AnyCasePath<GlobalAction, Action>,
    environment toLocalEnvironment: @escaping @MainActor (GlobalEnvironment) -> Environment,
  ) -> AnyReducer<GlobalState, GlobalAction, GlobalEnvironment> {
    let keyPath = UncheckedSendable(toLocalState)
    return AnyReducer<GlobalState, GlobalAction, GlobalEnvironment> { state, action, environment in
      guard let localAction = toLocalAction.extract(from: action) else { return .none }
      return reduce(&state[keyPath: keyPath.value], localAction, toLocalEnvironment(environment))
        .map { toLocalAction.embed($0) }
    }
  }

  /// Returns a reducer of an enum that runs this one on one case.
  ///
  /// An action that arrives while the state is of another case is reported and has no effect.
  ///
  /// - Parameters:
  ///   - toLocalState: The case of the parent's state that contains the child's.
  ///   - toLocalAction: The case of the parent's action that contains the child's.
  ///   - toLocalEnvironment: Returns the child's environment for the parent's.
  ///   - fileID: The file that creates the reducer.
  ///   - filePath: The file's path.
  ///   - line: The line that creates the reducer.
  ///   - column: The column that creates the reducer.
  /// - Returns: The reducer of the parent.
  public func pullback<GlobalState, GlobalAction, GlobalEnvironment>(
    state toLocalState: AnyCasePath<GlobalState, State>,
    action toLocalAction: AnyCasePath<GlobalAction, Action>,
    environment toLocalEnvironment: @escaping @MainActor (GlobalEnvironment) -> Environment,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> AnyReducer<GlobalState, GlobalAction, GlobalEnvironment> {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    return AnyReducer<GlobalState, GlobalAction, GlobalEnvironment> { state, action, environment in
      guard let localAction = toLocalAction.extract(from: action) else { return .none }
      guard var localState = toLocalState.extract(from: state) else {
        reportAbsent(.enumCase, action: action, of: "\(GlobalState.self)", at: location)
        return .none
      }
      defer { state = toLocalState.embed(localState) }
      return reduce(&localState, localAction, toLocalEnvironment(environment))
        .map { toLocalAction.embed($0) }
    }
  }
}
