/// A reducer, which changes the state of a view by actions and returns the effects.
///
/// ```swift
/// @Reducer
/// struct MyReducer {
///   enum ViewAction { case increment }
///
///   func reduce(into state: StateContainer<MyView>, action: Action) -> SideEffect<Self> {
///     switch action {
///     case .increment:
///       state.counter += 1
///       return .none
///     }
///   }
/// }
/// ```
public protocol ReducerProtocol<Target>: SendableMetatype {
  /// The view whose state it changes.
  associatedtype Target: ActionSendable<Self>
  /// The reducer's private state.
  associatedtype ReducerState = Never
  /// The actions that the view may send.
  associatedtype ViewAction
  /// The actions that only the reducer's effects may send.
  associatedtype ReducerAction = Never
  /// All actions; `@Reducer` combines the other two.
  associatedtype Action: ActionProtocol<ViewAction, ReducerAction>

  /// Changes the state by an action.
  ///
  /// - Parameters:
  ///   - state: The view's state, and the reducer's own in `state.reducerState`.
  ///   - action: The action.
  /// - Returns: The effects.
  func reduce(into state: StateContainer<Target>, action: Action) -> SideEffect<Self>
}

/// An action that is either a view's or a reducer's own.
public protocol ActionProtocol<ViewAction, ReducerAction>: SendableMetatype {
  /// The actions that the view may send.
  associatedtype ViewAction
  /// The actions that only the reducer's effects may send.
  associatedtype ReducerAction = Never

  /// Creates the action that a view sends.
  init(viewAction: ViewAction)
  /// Creates the action that an effect sends.
  init(reducerAction: ReducerAction)
}

extension ActionProtocol where ReducerAction == Never {
  /// Has no callers, since `Never` has no values.
  public init(reducerAction: Never) {
    switch reducerAction {}
  }
}
