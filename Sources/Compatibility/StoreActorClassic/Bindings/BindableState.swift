public import CustomDump

/// A property of a state that views may change by a binding, without an action of its own.
///
/// ```swift
/// struct SettingsState: Equatable {
///   @BindableState var displayName = ""
/// }
///
/// enum SettingsAction: BindableAction {
///   case binding(BindingAction<SettingsState>)
/// }
///
/// let settingsReducer = Reducer<SettingsState, SettingsAction, Void> { … }.binding()
/// ```
@dynamicMemberLookup
@propertyWrapper
public struct BindableState<Value> {
  /// The value.
  public var wrappedValue: Value

  /// Creates a property.
  public init(wrappedValue: Value) {
    self.wrappedValue = wrappedValue
  }

  /// What leads to the property from outside: `\.$displayName`.
  public var projectedValue: Self {
    get { self }
    set { self = newValue }
  }

  /// A part of the value, as a property that may be changed too.
  public subscript<Subject>(
    dynamicMember keyPath: WritableKeyPath<Value, Subject>
  ) -> BindableState<Subject> {
    get { BindableState<Subject>(wrappedValue: wrappedValue[keyPath: keyPath]) }
    set { wrappedValue[keyPath: keyPath] = newValue.wrappedValue }
  }
}

extension BindableState: Equatable where Value: Equatable {}
extension BindableState: Hashable where Value: Hashable {}
extension BindableState: Sendable where Value: Sendable {}

extension BindableState: Decodable where Value: Decodable {
  /// Decodes the bare value.
  public init(from decoder: any Decoder) throws {
    self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
  }
}

extension BindableState: Encodable where Value: Encodable {
  /// Encodes the bare value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

extension BindableState: CustomDumpRepresentable {
  /// The bare value.
  public var customDumpValue: Any { wrappedValue }
}
