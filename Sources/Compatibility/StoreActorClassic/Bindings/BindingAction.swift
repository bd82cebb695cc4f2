import CasePathOperator
public import CustomDump
import StoreActor
public import TerminalViews

/// A change of a bindable property by a view.
public struct BindingAction<Root>: Equatable {
  /// The key path of the property.
  public let keyPath: PartialKeyPath<Root>
  let set: (inout Root) -> Void
  private let value: Any
  private let hasValue: (Any) -> Bool

  /// Returns the action that sets a property.
  ///
  /// - Parameters:
  ///   - keyPath: The property: `\.$displayName`.
  ///   - value: The new value.
  /// - Returns: The action.
  public static func set<Value: Equatable>(
    _ keyPath: WritableKeyPath<Root, BindableState<Value>>,
    _ value: Value,
  ) -> Self {
    Self(
      keyPath: keyPath,
      set: { $0[keyPath: keyPath].wrappedValue = value },
      value: value,
      hasValue: { $0 as? Value == value },
    )
  }

  /// Returns whether two actions set the same property to the same value.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.keyPath == rhs.keyPath && lhs.hasValue(rhs.value)
  }

  /// Returns whether an action sets a property: `case .binding(\.$displayName):`.
  public static func ~= <Value>(
    keyPath: WritableKeyPath<Root, BindableState<Value>>,
    action: Self,
  ) -> Bool {
    keyPath == action.keyPath
  }
}

extension BindingAction: CustomDumpReflectable {
  /// A mirror of the property and the value.
  public var customDumpMirror: Mirror {
    Mirror(self, children: ["set": (keyPath, value)], displayStyle: .enum)
  }
}

/// An action that has a case for changes by bindings.
public protocol BindableAction {
  /// The state that contains the properties.
  associatedtype State

  /// The case for changes by bindings.
  static func binding(_ action: BindingAction<State>) -> Self
}

extension AnyReducer where Action: BindableAction, State == Action.State {
  /// Returns a reducer that applies changes by bindings to the state before it runs this one.
  public func binding() -> Self {
    let path: AnyCasePath<Action, BindingAction<State>> = /Action.binding
    return Self { state, action, environment in
      path.extract(from: action)?.set(&state)
      return reduce(&state, action, environment)
    }
  }
}

extension ViewStore where Action: BindableAction, State == Action.State {
  /// Returns a binding to a bindable property of the state.
  ///
  /// - Parameter keyPath: The property: `\.$displayName`.
  /// - Returns: The binding.
  public func binding<Value: Equatable>(
    _ keyPath: WritableKeyPath<State, BindableState<Value>>
  ) -> Binding<Value> {
    binding(
      get: { $0[keyPath: keyPath].wrappedValue },
      send: { .binding(.set(keyPath, $0)) },
    )
  }
}
