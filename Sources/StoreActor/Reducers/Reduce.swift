/// A reducer made of a function.
///
/// ```swift
/// Reduce { state, action in
///   switch action {
///   case .incrementButtonTapped:
///     state.count += 1
///     return .none
///   }
/// }
/// ```
public struct Reduce<State, Action>: Reducer {
  @usableFromInline
  let reduce: (inout State, Action) -> Effect<Action>
  /// Nil if the function has no use for a restoration.
  @usableFromInline
  let restored: ((inout State, Restoration) -> Effect<Action>)?

  /// Creates a reducer from a function.
  ///
  /// - Parameter reduce: Changes the state by an action and returns the effects that follow.
  @inlinable
  public init(_ reduce: @escaping (_ state: inout State, _ action: Action) -> Effect<Action>) {
    self.reduce = reduce
    restored = nil
  }

  @inlinable
  init(
    _ reduce: @escaping (inout State, Action) -> Effect<Action>,
    restored: ((inout State, Restoration) -> Effect<Action>)?,
  ) {
    self.reduce = reduce
    self.restored = restored
  }

  /// Creates a reducer that runs another one and hides its type.
  @inlinable
  public init(_ reducer: any Reducer<State, Action>) {
    // NB: With `some`, a mistake in the other initializer's closure is reported as a closure that
    // is not a reducer.
    self = reducer._prepared()
  }

  /// Calls the function.
  @inlinable
  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    reduce(&state, action)
  }

  /// Passes the restoration to the closure, if there is one.
  public func _restored(_ state: inout State, _ restoration: Restoration) -> Effect<Action> {
    restored?(&state, restoration) ?? .none
  }

  /// Returns this reducer, which needs no preparation.
  @inlinable
  public func _prepared() -> Reduce<State, Action> {
    self
  }
}
