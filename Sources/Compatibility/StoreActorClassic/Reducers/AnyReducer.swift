/// A feature: a function that changes its state by an action and returns effects.
///
/// An environment contains the feature's dependencies.
///
/// ```swift
/// let counterReducer = Reducer<CounterState, CounterAction, CounterEnvironment> {
///   state, action, environment in
///   switch action {
///   case .incrementButtonTapped:
///     state.count += 1
///     return .none
///   case .factButtonTapped:
///     return environment.fact(state.count).catchToEffect(CounterAction.factResponse)
///   }
/// }
/// ```
///
/// Reducers run on the main actor, so that an environment need not be Sendable.
public struct AnyReducer<State, Action, Environment>: Sendable {
  let reduce: @MainActor (inout State, Action, Environment) -> Effect<Action, Never>

  /// Creates a reducer from a function.
  ///
  /// - Parameter reducer: Changes the state by an action, and returns the effects.
  public init(
    _ reducer: @escaping @MainActor (inout State, Action, Environment) -> Effect<Action, Never>
  ) {
    reduce = reducer
  }

  /// A reducer that changes no state and returns no effects.
  public static var empty: AnyReducer {
    Self { _, _, _ in .none }
  }

  /// Changes the state by an action.
  ///
  /// - Parameters:
  ///   - state: The feature's state.
  ///   - action: The action.
  ///   - environment: The feature's dependencies.
  /// - Returns: The effects.
  @MainActor
  public func run(
    _ state: inout State,
    _ action: Action,
    _ environment: Environment,
  ) -> Effect<Action, Never> {
    reduce(&state, action, environment)
  }

  /// Changes the state by an action.
  ///
  /// - Parameters:
  ///   - state: The feature's state.
  ///   - action: The action.
  ///   - environment: The feature's dependencies.
  /// - Returns: The effects.
  @MainActor
  public func callAsFunction(
    _ state: inout State,
    _ action: Action,
    _ environment: Environment,
  ) -> Effect<Action, Never> {
    reduce(&state, action, environment)
  }
}

/// An alias of ``AnyReducer``, with which features declare reducers.
public typealias Reducer = AnyReducer
