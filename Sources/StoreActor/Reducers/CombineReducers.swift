/// Several reducers as one, so that an operator can be applied to all of them.
///
/// ```swift
/// CombineReducers {
///   ReducerA()
///   ReducerB()
/// }
/// .ifLet(\.child, action: \.child) { Child() }
/// ```
public struct CombineReducers<State, Action, Reducers: Reducer>: Reducer
where State == Reducers.State, Action == Reducers.Action {
  @usableFromInline
  let reducers: Reduce<State, Action>

  /// Creates one reducer that runs all of a list, in order.
  @inlinable
  public init(@ReducerBuilder<State, Action> _ build: () -> Reducers) {
    reducers = build()._prepared()
  }

  /// Runs the reducers in order and merges their effects.
  @inlinable
  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    reducers.reduce(&state, action)
  }

  /// Passes the restoration to the reducers.
  public func _restored(_ state: inout State, _ restoration: Restoration) -> Effect<Action> {
    reducers._restored(&state, restoration)
  }

  /// The list as a ``Reduce``.
  @inlinable
  public func _prepared() -> Reduce<State, Action> {
    reducers
  }
}
