/// A feature: how its state changes by an action, and which effects that starts, with what the
/// feature needs from outside in an environment.
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

  /// Creates a reducer of a function.
  ///
  /// - Parameter reducer: Changes the state by an action and returns the effects that follow.
  public init(
    _ reducer: @escaping @MainActor (inout State, Action, Environment) -> Effect<Action, Never>
  ) {
    reduce = reducer
  }

  /// A reducer that does nothing.
  public static var empty: AnyReducer {
    Self { _, _, _ in .none }
  }

  /// Changes the state by an action.
  ///
  /// - Parameters:
  ///   - state: The feature's state.
  ///   - action: What happened.
  ///   - environment: What the feature needs from outside.
  /// - Returns: What is to be done outside of the reducer.
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
  ///   - action: What happened.
  ///   - environment: What the feature needs from outside.
  /// - Returns: What is to be done outside of the reducer.
  @MainActor
  public func callAsFunction(
    _ state: inout State,
    _ action: Action,
    _ environment: Environment,
  ) -> Effect<Action, Never> {
    reduce(&state, action, environment)
  }
}

/// A feature: how its state changes by an action, and which effects that starts.
public typealias Reducer = AnyReducer
