/// A feature: it changes its state by an action, and returns the effects to start.
///
/// A feature composes others in its ``body-swift.property``; a leaf implements
/// ``reduce(into:action:)``.
///
/// ```swift
/// struct Counter: Reducer {
///   struct State: Equatable { var count = 0 }
///   enum Action { case incrementButtonTapped }
///
///   var body: some ReducerOf<Self> {
///     Reduce { state, action in
///       switch action {
///       case .incrementButtonTapped:
///         state.count += 1
///         return .none
///       }
///     }
///   }
/// }
/// ```
///
/// A store evaluates a body **once**, when the first action arrives, and keeps the result. A body
/// whose list has a condition or a loop is evaluated for each action instead, so that the condition
/// is current; that takes some microseconds. All other logic that may change from action to action
/// belongs inside a `Reduce`, not into the list around it. A type with a body runs its body; a
/// store does not call a `reduce(into:action:)` beside it.
public protocol Reducer<State, Action> {
  /// The state of the feature.
  associatedtype State

  /// The events of the feature.
  associatedtype Action

  /// The type of the reducer that ``body-swift.property`` describes, or `Never`.
  associatedtype Body

  /// Changes the state by one action and returns the effects that follow from it.
  ///
  /// - Parameters:
  ///   - state: The feature's state.
  ///   - action: The event.
  /// - Returns: The effects to run outside of the reducer, or `.none`.
  func reduce(into state: inout State, action: Action) -> Effect<Action>

  /// The entry point of stores and operators, in place of ``reduce(into:action:)``.
  func _reduce(into state: inout State, action: Action) -> Effect<Action>

  /// Runs the closures of ``onRestored(_:)``, in this reducer and in its present children, after a
  /// restart of their daemon.
  func _restored(_ state: inout State, _ restoration: Restoration) -> Effect<Action>

  /// The reducers that this one is composed of.
  @ReducerBuilder<State, Action>
  var body: Body { get }

  /// The same reducer with all steps resolved that are the same for each action: bodies are
  /// evaluated once if possible, and case key paths are turned into functions.
  ///
  /// Operators call it on their operands at creation.
  func _prepared() -> Reduce<State, Action>
}

/// A reducer of a feature's own state and actions: `var body: some ReducerOf<Self>`.
public typealias ReducerOf<R: Reducer> = Reducer<R.State, R.Action>

extension Reducer {
  /// The entry point of stores and operators, in place of ``reduce(into:action:)``.
  @inlinable
  public func _reduce(into state: inout State, action: Action) -> Effect<Action> {
    reduce(into: &state, action: action)
  }

  /// Returns no effects: a leaf has no ``onRestored(_:)``.
  public func _restored(_ state: inout State, _ restoration: Restoration) -> Effect<Action> {
    .none
  }

  /// The same reducer as a ``Reduce``.
  @inlinable
  public func _prepared() -> Reduce<State, Action> {
    Reduce { state, action in
      _reduce(into: &state, action: action)
    } restored: { state, restoration in
      _restored(&state, restoration)
    }
  }
}

extension Reducer where Body == Never {
  /// A leaf has no body: it implements ``reduce(into:action:)``.
  public var body: Body {
    preconditionFailure(
      """
      '\(Self.self)' has no body. Call its 'reduce(into:action:)', or give it a 'body' that is a \
      reducer.
      """
    )
  }
}

extension Reducer where Body: Reducer, Body.State == State, Body.Action == Action {
  /// Runs the body, evaluating it at each call.
  ///
  /// A store does so only if necessary.
  @inlinable
  public func reduce(into state: inout Body.State, action: Body.Action) -> Effect<Body.Action> {
    body._reduce(into: &state, action: action)
  }

  /// Passes the restoration to the body.
  public func _restored(
    _ state: inout Body.State,
    _ restoration: Restoration,
  ) -> Effect<Body.Action> {
    body._restored(&state, restoration)
  }

  /// The body as a ``Reduce``; it is evaluated when the first action arrives, and again only if it
  /// has a condition or a loop.
  @inlinable
  public func _prepared() -> Reduce<State, Action> {
    let prepared = PreparedBody(self)
    return Reduce { state, action in
      prepared.reduce(&state, action)
    } restored: { state, restoration in
      prepared.evaluated._restored(&state, restoration)
    }
  }
}
