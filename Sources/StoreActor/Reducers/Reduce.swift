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
  /// Nil where nobody asks.
  @usableFromInline
  let restored: ((inout State, Restoration) -> Effect<Action>)?

  /// Creates a reducer of a function.
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
    // NB: With `some` a mistake in the other initializer's closure is reported as that the closure
    // is no reducer.
    self = reducer._prepared()
  }

  /// Calls the function.
  @inlinable
  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    reduce(&state, action)
  }

  /// Tells whoever asked.
  public func _restored(_ state: inout State, _ restoration: Restoration) -> Effect<Action> {
    restored?(&state, restoration) ?? .none
  }

  /// Itself.
  @inlinable
  public func _prepared() -> Reduce<State, Action> {
    self
  }
}
