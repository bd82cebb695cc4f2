public import StoreActor

extension AnyReducer {
  /// The reducer of a child as one of a parent, whose state always has the child's.
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
  ///   - toLocalAction: The case of the parent's action that holds the child's.
  ///   - toLocalEnvironment: Makes the child's environment of the parent's.
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

  /// The reducer of one case of an enum as one of the enum.
  ///
  /// An action that comes while the state is of another case is reported and does nothing.
  ///
  /// - Parameters:
  ///   - toLocalState: The case of the parent's state that holds the child's.
  ///   - toLocalAction: The case of the parent's action that holds the child's.
  ///   - toLocalEnvironment: Makes the child's environment of the parent's.
  ///   - fileID: The file that the reducer is made in.
  ///   - filePath: The path of that file.
  ///   - line: The line that the reducer is made in.
  ///   - column: The column that the reducer is made in.
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
