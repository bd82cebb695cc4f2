public import CustomDump
import Synchronization

/// The setting of one property of a state, as a value.
///
/// ```swift
/// case .binding(\.query):
///   return .send(.search)
/// case .binding:
///   return .none
/// ```
///
/// See ``BindableAction``.
public struct BindingAction<Root> {
  /// The property.
  public let keyPath: PartialKeyPath<Root>

  /// The property's new value.
  let value: any Sendable

  private let isValue: (Any) -> Bool
  private let setValue: (inout Root) -> Void

  /// Notifies the sender that a reducer has set the property; only a store sets it.
  var handling: BindingHandling?

  /// Creates the setting of a property.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - value: Its new value.
  /// - Returns: The setting.
  public static func set<Value: Equatable & Sendable>(
    _ keyPath: WritableKeyPath<Root, Value>,
    _ value: Value,
  ) -> Self {
    Self(keyPath: keyPath, value: value) { $0[keyPath: keyPath] = value }
  }

  init<Value: Equatable & Sendable>(
    keyPath: PartialKeyPath<Root>,
    value: Value,
    setValue: @escaping (inout Root) -> Void,
  ) {
    self.keyPath = keyPath
    self.value = value
    isValue = { ($0 as? Value) == value }
    self.setValue = setValue
  }

  /// Whether an action sets a property, for `case .binding(\.query):` in a switch.
  public static func ~= <Value>(
    keyPath: WritableKeyPath<Root, Value>,
    bindingAction: Self,
  ) -> Bool {
    keyPath == bindingAction.keyPath
  }

  /// Sets the property.
  func set(in root: inout Root) {
    setValue(&root)
    handling?.isHandled.store(true, ordering: .relaxed)
  }

  /// The new value of a property, if this sets it.
  func value<Value>(of keyPath: KeyPath<Root, Value>) -> Value? {
    guard keyPath == self.keyPath else { return nil }
    return value as? Value
  }
}

// Sound: a key path is immutable, the value is Sendable, and the closures hold only these.
extension BindingAction: @unchecked Sendable {}

/// Whether a ``BindingReducer`` has seen an action.
final class BindingHandling: Sendable {
  let isHandled = Atomic(false)
}

extension BindingAction: Equatable {
  /// Whether both set the same property to equal values.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.keyPath == rhs.keyPath && lhs.isValue(rhs.value)
  }
}

extension BindingAction: CasePathable {
  /// The properties of a state as the cases of its bindings: `\.binding.query`.
  @dynamicMemberLookup
  public struct AllCasePaths: Sendable {
    /// The setting of a property.
    public subscript<Value: Equatable & Sendable>(
      dynamicMember keyPath: any WritableKeyPath<Root, Value> & Sendable
    ) -> AnyCasePath<BindingAction, Value> {
      AnyCasePath(
        name: propertyName(keyPath).map { .named($0) } ?? .unknown,
        embed: { .set(keyPath, $0) },
        extract: { $0.value(of: keyPath) },
      )
    }
  }

  /// The properties of a state.
  public static var allCasePaths: AllCasePaths { AllCasePaths() }
}

extension BindingAction: CustomDumpReflectable {
  /// `.set(\State.query, "Milk")`.
  public var customDumpMirror: Mirror {
    Mirror(self, children: ["set": (keyPath, value)], displayStyle: .enum)
  }
}

/// The name of the property of a key path, if the platform provides it.
func propertyName(_ keyPath: AnyKeyPath) -> String? {
  let text = String(describing: keyPath)
  guard let dot = text.firstIndex(of: "."), !text.contains("<") else { return nil }
  return String(text[text.index(after: dot)...])
}
