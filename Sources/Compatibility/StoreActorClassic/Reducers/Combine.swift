extension AnyReducer {
  /// Returns a reducer that runs several in order on the same state; their effects
  /// run concurrently.
  ///
  /// List a child's reducer before a reducer that may remove the child's state.
  public static func combine(_ reducers: AnyReducer...) -> AnyReducer {
    combine(reducers)
  }

  /// Returns a reducer that runs several in order on the same state; their effects
  /// run concurrently.
  public static func combine(_ reducers: [AnyReducer]) -> AnyReducer {
    Self { state, action, environment in
      .merge(reducers.map { $0.reduce(&state, action, environment) })
    }
  }

  /// Returns a reducer that runs this one, then another one.
  public func combined(with other: AnyReducer) -> AnyReducer {
    .combine(self, other)
  }
}
