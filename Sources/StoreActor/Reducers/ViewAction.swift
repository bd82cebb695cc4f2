/// An action that separates the actions that a view or a client may send from the feature's own.
///
/// ```swift
/// enum Action: ViewAction {
///   case view(View)
///   case factResponse(String)
///
///   enum View { case factButtonTapped }
/// }
/// ```
public protocol ViewAction<ViewAction> {
  /// The actions that a view may send.
  associatedtype ViewAction

  /// Embeds an action that a view sent.
  static func view(_ action: ViewAction) -> Self
}
