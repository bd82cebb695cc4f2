/// A reducer without an effect: for a feature without logic of its own, and as a placeholder.
public struct EmptyReducer<State, Action>: Reducer {
  /// Creates a reducer without an effect.
  @inlinable
  public init() {}

  /// Leaves the state as it is and returns no effects.
  @inlinable
  public func reduce(into _: inout State, action _: Action) -> Effect<Action> {
    .none
  }
}
