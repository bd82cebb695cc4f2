public import CustomDump
public import StoreState

// Sound: a shared box is not written.
extension Boxed: @unchecked Sendable where Value: Sendable {}

extension Boxed: Equatable where Value: Equatable {
  /// Compares the values; a box equals itself.
  @inlinable
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.isIdentical(to: rhs) || lhs.wrappedValue == rhs.wrappedValue
  }
}

extension Boxed: Hashable where Value: Hashable {
  /// Feeds the value to a hasher.
  public func hash(into hasher: inout Hasher) {
    wrappedValue.hash(into: &hasher)
  }
}

extension Boxed: Identifiable where Value: Identifiable {
  /// The value's id.
  public var id: Value.ID { wrappedValue.id }
}

extension Boxed: Decodable where Value: Decodable {
  /// Reads the value.
  public init(from decoder: any Decoder) throws {
    self.init(try Value(from: decoder))
  }
}

extension Boxed: Encodable where Value: Encodable {
  /// Writes the value.
  public func encode(to encoder: any Encoder) throws {
    try wrappedValue.encode(to: encoder)
  }
}

extension Boxed: CustomReflectable {
  /// The mirror of the value.
  public var customMirror: Mirror {
    Mirror(reflecting: wrappedValue)
  }
}

extension Boxed: CustomDumpRepresentable {
  /// The value, so that a dump shows no wrapper.
  public var customDumpValue: Any {
    wrappedValue
  }
}

/// The wire form of a box is its value's.
extension Boxed: WirePayload, WireValue where Value: WireValue {
  /// The schema of the value.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    Value.schema(in: &registry)
  }

  /// Whether the value's type admits null.
  public static var admitsNull: Bool { Value.admitsNull }

  /// Whether the type's values equal themselves and their copies.
  public static var equalsItself: Bool { Value.equalsItself }

  /// Writes the value.
  public func encode(to encoder: inout CBOREncoder) {
    wrappedValue.encode(to: &encoder)
  }

  /// Reads the value.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    self.init(try Value(from: &decoder))
  }

  /// Compares the encodings; a box is the same as itself.
  public func _$isSame(as other: Self) -> Bool {
    isIdentical(to: other) || wrappedValue._$isSame(as: other.wrappedValue)
  }

  /// The digest of the value.
  public var _$digest: Digest { wrappedValue._$digest }
}

extension Boxed: ReplicatedState where Value: ReplicatedState {
  /// Writes the delta of the value.
  public func encodeDelta(from old: Self, to encoder: inout CBOREncoder) -> Bool {
    if isIdentical(to: old) { return false }
    return wrappedValue.encodeDelta(from: old.wrappedValue, to: &encoder)
  }

  /// Applies a delta to the value.
  public mutating func applyDelta(from decoder: inout CBORDecoder) throws(CodecError) {
    try wrappedValue.applyDelta(from: &decoder)
  }
}
