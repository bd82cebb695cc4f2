public import StoreActor
import StoreState

extension AnyReducer {
  /// Returns a reducer that runs this one on each element of a list.
  ///
  /// ```swift
  /// todoReducer.forEach(
  ///   state: \.todos,
  ///   action: /AppAction.todo(id:action:),
  ///   environment: { _ in TodoEnvironment() }
  /// )
  /// ```
  ///
  /// An action for an absent element is reported and has no effect.
  ///
  /// - Parameters:
  ///   - toLocalState: The list in the parent's state.
  ///   - toLocalAction: The case of the parent's action that contains an id and an
  ///     element's action.
  ///   - toLocalEnvironment: Returns the element's environment for the parent's.
  ///   - fileID: The file that creates the reducer.
  ///   - filePath: The file's path.
  ///   - line: The line that creates the reducer.
  ///   - column: The column that creates the reducer.
  /// - Returns: The reducer of the parent.
  public func forEach<GlobalState, GlobalAction, GlobalEnvironment, ID: Hashable>(
    state toLocalState: WritableKeyPath<GlobalState, IdentifiedArray<ID, State>>,
    action toLocalAction: AnyCasePath<GlobalAction, (ID, Action)>,
    environment toLocalEnvironment: @escaping @MainActor (GlobalEnvironment) -> Environment,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> AnyReducer<GlobalState, GlobalAction, GlobalEnvironment> {
    forEach(
      action: toLocalAction,
      environment: toLocalEnvironment,
      location: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    ) { id in
      let element: WritableKeyPath<IdentifiedArray<ID, State>, State?> = \.[id: id]
      return toLocalState.appending(path: element)
    }
  }

  /// Returns a reducer that runs this one on each value of a dictionary.
  ///
  /// An action for an absent key is reported and has no effect.
  ///
  /// - Parameters:
  ///   - toLocalState: The dictionary in the parent's state.
  ///   - toLocalAction: The case of the parent's action that contains a key and a value's action.
  ///   - toLocalEnvironment: Returns the value's environment for the parent's.
  ///   - fileID: The file that creates the reducer.
  ///   - filePath: The file's path.
  ///   - line: The line that creates the reducer.
  ///   - column: The column that creates the reducer.
  /// - Returns: The reducer of the parent.
  public func forEach<GlobalState, GlobalAction, GlobalEnvironment, Key: Hashable>(
    state toLocalState: WritableKeyPath<GlobalState, [Key: State]>,
    action toLocalAction: AnyCasePath<GlobalAction, (Key, Action)>,
    environment toLocalEnvironment: @escaping @MainActor (GlobalEnvironment) -> Environment,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> AnyReducer<GlobalState, GlobalAction, GlobalEnvironment> {
    forEach(
      action: toLocalAction,
      environment: toLocalEnvironment,
      location: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    ) { key in
      let element: WritableKeyPath<[Key: State], State?> = \.[key]
      return toLocalState.appending(path: element)
    }
  }

  private func forEach<GlobalState, GlobalAction, GlobalEnvironment, ID: Hashable>(
    action toLocalAction: AnyCasePath<GlobalAction, (ID, Action)>,
    environment toLocalEnvironment: @escaping @MainActor (GlobalEnvironment) -> Environment,
    location: IssueLocation,
    element: @escaping (ID) -> WritableKeyPath<GlobalState, State?>,
  ) -> AnyReducer<GlobalState, GlobalAction, GlobalEnvironment> {
    // The closure captures only a key path.
    nonisolated(unsafe) let element = element
    return AnyReducer<GlobalState, GlobalAction, GlobalEnvironment> { state, action, environment in
      guard let (id, localAction) = toLocalAction.extract(from: action) else { return .none }
      let path = element(id)
      guard var element = state[keyPath: path] else {
        reportAbsent(.element("\(id)"), action: action, of: "\(GlobalState.self)", at: location)
        return .none
      }
      defer { state[keyPath: path] = element }
      return reduce(&element, localAction, toLocalEnvironment(environment))
        .map { toLocalAction.embed((id, $0)) }
    }
  }
}
