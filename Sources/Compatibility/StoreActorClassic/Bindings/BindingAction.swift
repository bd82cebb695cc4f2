import CasePathOperator
public import CustomDump
import StoreActor
public import TerminalViews

/// That a view has changed one of the properties of a state that it may change.
public struct BindingAction<Root>: Equatable {
  /// Which property it is.
  public let keyPath: PartialKeyPath<Root>
  let set: (inout Root) -> Void
  private let value: Any
  private let hasValue: (Any) -> Bool

  /// The action of setting a property.
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

  /// Whether two actions set one property to one value.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.keyPath == rhs.keyPath && lhs.hasValue(rhs.value)
  }

  /// Whether an action sets a property: `case .binding(\.$displayName):`.
  public static func ~= <Value>(
    keyPath: WritableKeyPath<Root, BindableState<Value>>,
    action: Self,
  ) -> Bool {
    keyPath == action.keyPath
  }
}

extension BindingAction: CustomDumpReflectable {
  /// The property and the value.
  public var customDumpMirror: Mirror {
    Mirror(self, children: ["set": (keyPath, value)], displayStyle: .enum)
  }
}

/// An action that has a case for changes by bindings.
public protocol BindableAction {
  /// The state whose properties are changed.
  associatedtype State

  /// The case.
  static func binding(_ action: BindingAction<State>) -> Self
}

extension AnyReducer where Action: BindableAction, State == Action.State {
  /// The reducer, after the change that a binding has made was put into the state.
  public func binding() -> Self {
    let path: AnyCasePath<Action, BindingAction<State>> = /Action.binding
    return Self { state, action, environment in
      path.extract(from: action)?.set(&state)
      return reduce(&state, action, environment)
    }
  }
}

extension ViewStore where Action: BindableAction, State == Action.State {
  /// A binding to a property of the state that views may change.
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
