/// A feature: how its state changes by an action, and which effects that starts.
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
/// A store evaluates a body **once**, when the first action reaches it, and keeps what it
/// describes. A body whose list has a condition or a loop is evaluated for each action instead, so
/// that the condition holds as of then; that takes some microseconds. All else that may change from
/// action to action belongs inside a `Reduce`, not into the list around it. A type with a body runs
/// its body; a `reduce(into:action:)` beside it is not called by a store.
public protocol Reducer<State, Action> {
  /// What the feature knows.
  associatedtype State

  /// What can happen to the feature.
  associatedtype Action

  /// The type of the reducer that ``body-swift.property`` describes, or `Never`.
  associatedtype Body

  /// Changes the state by one action and returns the effects that follow from it.
  ///
  /// - Parameters:
  ///   - state: The feature's state.
  ///   - action: What happened.
  /// - Returns: What is to be done outside of the reducer, or `.none`.
  func reduce(into state: inout State, action: Action) -> Effect<Action>

  /// What stores and operators call instead of ``reduce(into:action:)``.
  func _reduce(into state: inout State, action: Action) -> Effect<Action>

  /// Tells those who asked with ``onRestored(_:)``, in this reducer and in the children that are
  /// there, that their daemon has started again.
  func _restored(_ state: inout State, _ restoration: Restoration) -> Effect<Action>

  /// The reducers that this one is composed of.
  @ReducerBuilder<State, Action>
  var body: Body { get }

  /// The same reducer with everything resolved that need not be resolved again for each action:
  /// bodies are evaluated once where they allow it, case key paths are turned into functions.
  ///
  /// Operators call it on the reducers that they are given, when they are made.
  func _prepared() -> Reduce<State, Action>
}

/// A reducer of a feature's own state and actions: `var body: some ReducerOf<Self>`.
public typealias ReducerOf<R: Reducer> = Reducer<R.State, R.Action>

extension Reducer {
  /// What stores and operators call instead of ``reduce(into:action:)``.
  @inlinable
  public func _reduce(into state: inout State, action: Action) -> Effect<Action> {
    reduce(into: &state, action: action)
  }

  /// Nobody asked.
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
  /// Runs the body, which is evaluated anew for each call; a store does so where it has to.
  @inlinable
  public func reduce(into state: inout Body.State, action: Body.Action) -> Effect<Body.Action> {
    body._reduce(into: &state, action: action)
  }

  /// Tells the body.
  public func _restored(
    _ state: inout Body.State,
    _ restoration: Restoration,
  ) -> Effect<Body.Action> {
    body._restored(&state, restoration)
  }

  /// The body as a ``Reduce``; it is evaluated when the first action comes, and only then unless it
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
