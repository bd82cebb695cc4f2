/// Makes a struct a reducer of a view's state: adds its `Action`, with all cases of `ViewAction`
/// and `ReducerAction`.
///
/// ```swift
/// @Reducer
/// struct LoginReducer {
///   enum ViewAction { case login }
///   enum ReducerAction { case loginResponse(TaskResult<Response>) }
///
///   func reduce(into state: StateContainer<LoginView>, action: Action) -> SideEffect<Self> { … }
/// }
/// ```
@attached(extension, conformances: ReducerProtocol)
@attached(memberAttribute)
@attached(member, names: named(Action))
public macro Reducer() =
  #externalMacro(module: "StoreActorMacros", type: "SimplexReducerMacro")

/// Makes a view conform to ``ActionSendable``: adds its `ViewState`, with a property for each
/// `@State` of the view.
@attached(extension, conformances: ActionSendable)
@attached(member, names: named(ViewState))
public macro ViewState() =
  #externalMacro(module: "StoreActorMacros", type: "ViewStateMacro")
