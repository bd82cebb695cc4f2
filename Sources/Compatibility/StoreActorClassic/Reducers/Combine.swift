extension AnyReducer {
  /// Reducers that run one after the other on the same state; their effects run at once.
  ///
  /// A reducer of a child has to come before one that may take the child away.
  public static func combine(_ reducers: AnyReducer...) -> AnyReducer {
    combine(reducers)
  }

  /// Reducers that run one after the other on the same state; their effects run at once.
  public static func combine(_ reducers: [AnyReducer]) -> AnyReducer {
    Self { state, action, environment in
      .merge(reducers.map { $0.reduce(&state, action, environment) })
    }
  }

  /// This reducer, and another one after it.
  public func combined(with other: AnyReducer) -> AnyReducer {
    .combine(self, other)
  }
}
