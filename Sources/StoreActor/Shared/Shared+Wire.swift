public import StoreState

// The wire form of a shared value is its value; the receiver has a copy.

extension Shared {
  /// Takes the decoded wrapper, for generated code.
  ///
  /// A value that its own process restored is shared again by its key.
  public mutating func _$take(_ read: Self, isKept: Bool) {
    if isKept { content.keep(read.content) } else { self = read }
  }
}

extension SharedReader {
  /// Takes the decoded wrapper, for generated code.
  ///
  /// A value that its own process restored is shared again by its key.
  public mutating func _$take(_ read: Self, isKept: Bool) {
    if isKept { content.keep(read.content) } else { self = read }
  }
}

extension Shared: WirePayload, WireValue where Value: WireValue {
  /// The schema of the value.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    Value.schema(in: &registry)
  }

  /// Whether the value's type admits null.
  public static var admitsNull: Bool { Value.admitsNull }

  /// Whether the type's values equal themselves and their copies.
  public static var equalsItself: Bool { Value.equalsItself }

  /// Writes the shown value.
  public func encode(to encoder: inout CBOREncoder) { content.encode(to: &encoder) }

  /// Reads a copy, which cannot be changed.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    content = try SharedContent(from: &decoder)
  }

  /// Compares the encodings of the shown values.
  public func _$isSame(as other: Self) -> Bool { content.isSame(as: other.content) }

  /// The digest of the shown value.
  public var _$digest: Digest { content.shown._$digest }
}

extension Shared: ReplicatedState where Value: ReplicatedState {
  /// Writes the delta of the shown value.
  public func encodeDelta(from old: Self, to encoder: inout CBOREncoder) -> Bool {
    content.encodeDelta(from: old.content, to: &encoder)
  }

  /// Applies a delta to a copy.
  public mutating func applyDelta(from decoder: inout CBORDecoder) throws(CodecError) {
    try content.applyDelta(from: &decoder)
  }
}

extension SharedReader: WirePayload, WireValue where Value: WireValue {
  /// The schema of the value.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    Value.schema(in: &registry)
  }

  /// Whether the value's type admits null.
  public static var admitsNull: Bool { Value.admitsNull }

  /// Whether the type's values equal themselves and their copies.
  public static var equalsItself: Bool { Value.equalsItself }

  /// Writes the shown value.
  public func encode(to encoder: inout CBOREncoder) { content.encode(to: &encoder) }

  /// Reads a copy.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    content = try SharedContent(from: &decoder)
  }

  /// Compares the encodings of the shown values.
  public func _$isSame(as other: Self) -> Bool { content.isSame(as: other.content) }

  /// The digest of the shown value.
  public var _$digest: Digest { content.shown._$digest }
}

extension SharedReader: ReplicatedState where Value: ReplicatedState {
  /// Writes the delta of the shown value.
  public func encodeDelta(from old: Self, to encoder: inout CBOREncoder) -> Bool {
    content.encodeDelta(from: old.content, to: &encoder)
  }

  /// Applies a delta to a copy.
  public mutating func applyDelta(from decoder: inout CBORDecoder) throws(CodecError) {
    try content.applyDelta(from: &decoder)
  }
}

extension SharedContent where Value: WireValue {
  fileprivate func encode(to encoder: inout CBOREncoder) {
    SharedRoundTrip.current?.leave(self)
    shown.encode(to: &encoder)
  }

  fileprivate init(from decoder: inout CBORDecoder) throws(CodecError) {
    let value = try Value(from: &decoder)
    self = SharedRoundTrip.current?.arrive(value) ?? Self(copyOf: value)
  }

  fileprivate func isSame(as other: Self) -> Bool {
    isIdentical(to: other) || shown._$isSame(as: other.shown)
  }
}

extension SharedContent where Value: ReplicatedState {
  fileprivate func encodeDelta(from old: Self, to encoder: inout CBOREncoder) -> Bool {
    if isIdentical(to: old) { return false }
    return shown.encodeDelta(from: old.shown, to: &encoder)
  }

  fileprivate mutating func applyDelta(from decoder: inout CBORDecoder) throws(CodecError) {
    var value = shown
    try value.applyDelta(from: &decoder)
    replace(with: value)
  }
}
