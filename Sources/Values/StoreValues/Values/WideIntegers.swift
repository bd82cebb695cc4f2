public import StoreBytes

/// An integer of 128 bits is written as two of 64: its upper half, which has the sign, and
/// its lower.
extension Int128: ReplicatedState {
  /// An integer of 128 bits with a sign.
  public static func schema(in registry: inout SchemaRegistry) -> Schema { .int128 }

  /// True: an integer equals each of its copies.
  public static var equalsItself: Bool { true }

  /// Writes the upper and the lower half.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(2)
    encoder.encode(signed: upperHalf)
    encoder.encode(unsigned: lowerHalf)
  }

  /// Reads the upper and the lower half.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    try decoder.expectArray(of: 2, "an integer of 128 bits")
    let upper = try decoder.signed()
    self = Int128(upper) << 64 | Int128(try decoder.unsigned())
  }

  /// Compares the numbers.
  public func _$isSame(as other: Int128) -> Bool { self == other }

  /// The digest of the halves.
  public var _$digest: Digest {
    var digest = SequenceDigest(Digest(signed: upperHalf))
    digest.append(Digest(unsigned: lowerHalf))
    return digest.finish()
  }

  private var upperHalf: Int64 { Int64(truncatingIfNeeded: self >> 64) }
  private var lowerHalf: UInt64 { UInt64(truncatingIfNeeded: self) }
}

/// An integer of 128 bits is written as two of 64: its upper half and its lower.
extension UInt128: ReplicatedState {
  /// An integer of 128 bits without a sign.
  public static func schema(in registry: inout SchemaRegistry) -> Schema { .uint128 }

  /// True: an integer equals each of its copies.
  public static var equalsItself: Bool { true }

  /// Writes the upper and the lower half.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(2)
    encoder.encode(unsigned: upperHalf)
    encoder.encode(unsigned: lowerHalf)
  }

  /// Reads the upper and the lower half.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    try decoder.expectArray(of: 2, "an integer of 128 bits")
    let upper = try decoder.unsigned()
    self = UInt128(upper) << 64 | UInt128(try decoder.unsigned())
  }

  /// Compares the numbers.
  public func _$isSame(as other: UInt128) -> Bool { self == other }

  /// The digest of the halves.
  public var _$digest: Digest {
    var digest = SequenceDigest(Digest(unsigned: upperHalf))
    digest.append(Digest(unsigned: lowerHalf))
    return digest.finish()
  }

  private var upperHalf: UInt64 { UInt64(truncatingIfNeeded: self >> 64) }
  private var lowerHalf: UInt64 { UInt64(truncatingIfNeeded: self) }
}
