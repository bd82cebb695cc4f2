import StoreActor

extension AnyReducer {
  /// Returns a reducer that runs this one while an optional state is present.
  ///
  /// ```swift
  /// detailReducer
  ///   .optional()
  ///   .pullback(state: \.detail, action: /AppAction.detail, environment: { _ in … })
  /// ```
  ///
  /// An action that arrives while the state is absent is reported and has no effect.
  public func optional(
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> AnyReducer<State?, Action, Environment> {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    return AnyReducer<State?, Action, Environment> { state, action, environment in
      guard var wrapped = state else {
        reportAbsent(.optional, action: action, of: "\(State.self)?", at: location)
        return .none
      }
      // The state is moved out, so that a change does not copy its collections.
      state = nil
      defer { state = wrapped }
      return reduce(&wrapped, action, environment)
    }
  }
}
