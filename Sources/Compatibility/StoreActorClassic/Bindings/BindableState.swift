public import CustomDump

/// A property of a state that views may change by a binding, without a separate action.
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
  /// The value of the property.
  public var wrappedValue: Value

  /// Creates a property.
  public init(wrappedValue: Value) {
    self.wrappedValue = wrappedValue
  }

  /// The property itself, as a part of key paths: `\.$displayName`.
  public var projectedValue: Self {
    get { self }
    set { self = newValue }
  }

  /// A part of the value, as a property that bindings may change too.
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
  /// Decodes the value without a wrapper.
  public init(from decoder: any Decoder) throws {
    self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
  }
}

extension BindableState: Encodable where Value: Encodable {
  /// Encodes the value without a wrapper.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

extension BindableState: CustomDumpRepresentable {
  /// The value without its wrapper.
  public var customDumpValue: Any { wrappedValue }
}
