/// What changes the state of a view by actions, and decides what follows from them.
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
  /// State that only the reducer sees.
  associatedtype ReducerState = Never
  /// What the view may send.
  associatedtype ViewAction
  /// What only the reducer's effects may send.
  associatedtype ReducerAction = Never
  /// All of what may happen: `@Reducer` makes it of the other two.
  associatedtype Action: ActionProtocol<ViewAction, ReducerAction>

  /// Changes the state by an action.
  ///
  /// - Parameters:
  ///   - state: The view's state, and the reducer's own in `state.reducerState`.
  ///   - action: What happened.
  /// - Returns: What is to be done.
  func reduce(into state: StateContainer<Target>, action: Action) -> SideEffect<Self>
}

/// An action that is either a view's or a reducer's own.
public protocol ActionProtocol<ViewAction, ReducerAction>: SendableMetatype {
  /// What the view may send.
  associatedtype ViewAction
  /// What only the reducer's effects may send.
  associatedtype ReducerAction = Never

  /// The action that a view sends.
  init(viewAction: ViewAction)
  /// The action that an effect sends.
  init(reducerAction: ReducerAction)
}

extension ActionProtocol where ReducerAction == Never {
  /// There is no such action.
  public init(reducerAction: Never) {
    switch reducerAction {}
  }
}
