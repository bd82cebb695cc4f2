public import StoreBytes

extension Optional: WirePayload, WireValue where Wrapped: WireValue {
  /// A value that may be absent.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    .optional(Wrapped.schema(in: &registry))
  }

  /// True: null stands for an absent value.
  public static var admitsNull: Bool { true }

  /// The same as for the wrapped type.
  public static var equalsItself: Bool { Wrapped.equalsItself }

  /// Writes null or the value; a value that could be null itself is wrapped in an array of one.
  @inlinable
  public func encode(to encoder: inout CBOREncoder) {
    guard let value = self else { return encoder.encodeNull() }
    if Wrapped.admitsNull { encoder.arrayHeader(1) }
    value.encode(to: &encoder)
  }

  /// Reads null or a value.
  @inlinable
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    guard !(try decoder.nullIfPresent()) else {
      self = nil
      return
    }
    if Wrapped.admitsNull { try decoder.expectArray(of: 1, "null or a value") }
    self = try Wrapped(from: &decoder)
  }

  /// Compares the encodings.
  public func _$isSame(as other: Wrapped?) -> Bool {
    switch (self, other) {
    case (nil, nil): true
    case (let one?, let other?): one._$isSame(as: other)
    default: false
    }
  }

  /// The digest of null or of the value.
  public var _$digest: Digest {
    guard let value = self else { return .null }
    return Wrapped.admitsNull ? SequenceDigest(value._$digest).finish() : value._$digest
  }
}

extension Optional: ReplicatedState where Wrapped: ReplicatedState {
  /// Writes the removal, the insertion or the inner change of the value.
  @inlinable
  public func encodeDelta(from old: Wrapped?, to encoder: inout CBOREncoder) -> Bool {
    switch (self, old) {
    case (nil, nil):
      return false
    case (nil, _?):
      encoder.encodeNull()
      return true
    case (let value?, nil):
      encoder.arrayHeader(2)
      encoder.encode(unsigned: 0)
      value.encode(to: &encoder)
      return true
    case (let value?, let old?):
      return value.encodeDelta(fromPresent: old, to: &encoder)
    }
  }

  /// Removes, inserts or changes the value.
  public mutating func applyDelta(from decoder: inout CBORDecoder) throws(CodecError) {
    guard !(try decoder.nullIfPresent()) else {
      self = nil
      return
    }
    guard try decoder.deltaForm() == .changed else {
      self = try decoder.value(Wrapped.self)
      return
    }
    guard var value = self else {
      throw decoder.error(.deltaMismatch, "the delta changes a value that is absent")
    }
    // The only reference to the value's contents, so they can change in place.
    self = nil
    try value.applyDelta(from: &decoder)
    self = value
  }
}

extension ReplicatedState {
  /// Writes the delta of an optional that is present before and after.
  @inlinable
  package func encodeDelta(fromPresent old: Self, to encoder: inout CBOREncoder) -> Bool {
    let mark = encoder.mark
    encoder.arrayHeader(2)
    encoder.encode(unsigned: 1)
    guard encodeDelta(from: old, to: &encoder) else {
      encoder.truncate(to: mark)
      return false
    }
    return true
  }
}
