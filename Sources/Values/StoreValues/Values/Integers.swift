public import StoreBytes

extension WireValue where Self: FixedWidthInteger & SignedInteger {
  /// True: an integer equals each of its copies.
  public static var equalsItself: Bool { true }

  /// Writes an integer.
  @inlinable
  public func encode(to encoder: inout CBOREncoder) { encoder.encode(signed: Int64(self)) }

  /// Reads an integer in the range of the type.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    let start = decoder.offset
    let value = try decoder.signed()
    guard let exact = Self(exactly: value) else {
      throw CodecError.outOfRange("\(value)", Self.self, offset: start)
    }
    self = exact
  }

  /// Compares the numbers.
  public func _$isSame(as other: Self) -> Bool { self == other }

  /// The digest of the number.
  public var _$digest: Digest { Digest(signed: Int64(self)) }
}

extension WireValue where Self: FixedWidthInteger & UnsignedInteger {
  /// True: an integer equals each of its copies.
  public static var equalsItself: Bool { true }

  /// Writes an integer.
  @inlinable
  public func encode(to encoder: inout CBOREncoder) { encoder.encode(unsigned: UInt64(self)) }

  /// Reads an integer in the range of the type.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    let start = decoder.offset
    let value = try decoder.unsigned()
    guard let exact = Self(exactly: value) else {
      throw CodecError.outOfRange("\(value)", Self.self, offset: start)
    }
    self = exact
  }

  /// Compares the numbers.
  public func _$isSame(as other: Self) -> Bool { self == other }

  /// The digest of the number.
  public var _$digest: Digest { Digest(unsigned: UInt64(self)) }
}

extension CodecError {
  fileprivate static func outOfRange<Value: FixedWidthInteger>(
    _ value: String,
    _ type: Value.Type,
    offset: Int,
  ) -> CodecError {
    CodecError(
      .outOfRange,
      "expected an integer from \(Value.min) to \(Value.max), found \(value)",
      offset: offset,
    )
  }
}

extension Int: _$PlainInteger {
  /// An integer of 64 bits with a sign.
  public static func schema(in registry: inout SchemaRegistry) -> Schema { .int64 }
}

extension Int8: _$PlainInteger {
  /// An integer of 8 bits with a sign.
  public static func schema(in registry: inout SchemaRegistry) -> Schema { .int8 }
}

extension Int16: _$PlainInteger {
  /// An integer of 16 bits with a sign.
  public static func schema(in registry: inout SchemaRegistry) -> Schema { .int16 }
}

extension Int32: _$PlainInteger {
  /// An integer of 32 bits with a sign.
  public static func schema(in registry: inout SchemaRegistry) -> Schema { .int32 }
}

extension Int64: _$PlainInteger {
  /// An integer of 64 bits with a sign.
  public static func schema(in registry: inout SchemaRegistry) -> Schema { .int64 }
}

extension UInt: _$PlainInteger {
  /// An integer of 64 bits without a sign.
  public static func schema(in registry: inout SchemaRegistry) -> Schema { .uint64 }
}

extension UInt8: _$PlainInteger {
  /// An integer of 8 bits without a sign.
  public static func schema(in registry: inout SchemaRegistry) -> Schema { .uint8 }
}

extension UInt16: _$PlainInteger {
  /// An integer of 16 bits without a sign.
  public static func schema(in registry: inout SchemaRegistry) -> Schema { .uint16 }
}

extension UInt32: _$PlainInteger {
  /// An integer of 32 bits without a sign.
  public static func schema(in registry: inout SchemaRegistry) -> Schema { .uint32 }
}

extension UInt64: _$PlainInteger {
  /// An integer of 64 bits without a sign.
  public static func schema(in registry: inout SchemaRegistry) -> Schema { .uint64 }
}
