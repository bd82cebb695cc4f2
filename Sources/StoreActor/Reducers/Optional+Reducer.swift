extension Optional: Reducer where Wrapped: Reducer {
  /// Runs the reducer, if present; nil has no effect.
  @inlinable
  public func reduce(
    into state: inout Wrapped.State,
    action: Wrapped.Action,
  ) -> Effect<Wrapped.Action> {
    switch self {
    case .some(let wrapped): wrapped._reduce(into: &state, action: action)
    case .none: .none
    }
  }

  /// Passes the restoration to the reducer, if present.
  public func _restored(
    _ state: inout Wrapped.State,
    _ restoration: Restoration,
  ) -> Effect<Wrapped.Action> {
    self?._restored(&state, restoration) ?? .none
  }

  /// The wrapped reducer as a ``Reduce``, or an empty one.
  @inlinable
  public func _prepared() -> Reduce<Wrapped.State, Wrapped.Action> {
    BodyEvaluation.noteChoice()
    return self?._prepared() ?? EmptyReducer()._prepared()
  }
}
