import StoreActor

extension AnyReducer {
  /// The reducer of a state as one of a state that may be absent.
  ///
  /// ```swift
  /// detailReducer
  ///   .optional()
  ///   .pullback(state: \.detail, action: /AppAction.detail, environment: { _ in … })
  /// ```
  ///
  /// An action that comes while the state is absent is reported and does nothing.
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
      // Taken out, so that collections in it are not copied when they change.
      state = nil
      defer { state = wrapped }
      return reduce(&wrapped, action, environment)
    }
  }
}
