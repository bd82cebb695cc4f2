/// An action that keeps apart what a view, or a client, may send from what only the feature itself
/// may send.
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
  /// What a view may send.
  associatedtype ViewAction

  /// Makes an action of one that a view sent.
  static func view(_ action: ViewAction) -> Self
}
