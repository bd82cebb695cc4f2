public import StoreActor
import StoreState

extension AnyReducer {
  /// The reducer of an element as one of a list that has any number of them.
  ///
  /// ```swift
  /// todoReducer.forEach(
  ///   state: \.todos,
  ///   action: /AppAction.todo(id:action:),
  ///   environment: { _ in TodoEnvironment() }
  /// )
  /// ```
  ///
  /// An action for an element that is not there is reported and does nothing.
  ///
  /// - Parameters:
  ///   - toLocalState: The list in the parent's state.
  ///   - toLocalAction: The case of the parent's action that holds an id and an element's action.
  ///   - toLocalEnvironment: Makes the element's environment of the parent's.
  ///   - fileID: The file that the reducer is made in.
  ///   - filePath: The path of that file.
  ///   - line: The line that the reducer is made in.
  ///   - column: The column that the reducer is made in.
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

  /// The reducer of a value as one of a dictionary that has any number of them.
  ///
  /// An action for a key that is not there is reported and does nothing.
  ///
  /// - Parameters:
  ///   - toLocalState: The dictionary in the parent's state.
  ///   - toLocalAction: The case of the parent's action that holds a key and a value's action.
  ///   - toLocalEnvironment: Makes the value's environment of the parent's.
  ///   - fileID: The file that the reducer is made in.
  ///   - filePath: The path of that file.
  ///   - line: The line that the reducer is made in.
  ///   - column: The column that the reducer is made in.
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
    // Captures nothing but a key path.
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
