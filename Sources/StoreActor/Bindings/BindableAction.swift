/// An action that may set any property of a feature's state, for forms and settings.
///
/// ```swift
/// enum Action: BindableAction {
///   case binding(BindingAction<State>)
///   case saveButtonTapped
/// }
///
/// var body: some ReducerOf<Self> {
///   BindingReducer()
///   Reduce { state, action in … }
/// }
/// ```
///
/// An assignment through a store, `store.name = "Blob"`, then sets a property: it sends
/// `.binding(.set(\.name, "Blob"))`.
public protocol BindableAction<State> {
  /// The state whose properties may be set.
  associatedtype State

  /// Makes an action that sets a property.
  static func binding(_ action: BindingAction<State>) -> Self

  /// The setting, if this is a binding action.
  var binding: BindingAction<State>? { get }
}

extension BindableAction {
  /// The setting, if this is a binding action; found by reflection.
  public var binding: BindingAction<State>? {
    guard let child = Mirror(reflecting: self).children.first, child.label == "binding" else {
      return nil
    }
    return child.value as? BindingAction<State>
  }

  /// Makes an action that sets a property.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - value: Its new value.
  /// - Returns: The action.
  public static func set<Value: Equatable & Sendable>(
    _ keyPath: WritableKeyPath<State, Value>,
    _ value: Value,
  ) -> Self {
    .binding(.set(keyPath, value))
  }
}
