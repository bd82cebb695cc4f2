public import StoreBytes

extension Double: ReplicatedState {
  /// A float of 64 bits.
  public static func schema(in registry: inout SchemaRegistry) -> Schema { .float64 }

  /// False: NaN differs from itself.
  public static var equalsItself: Bool { false }

  /// Writes a float with the fewest bits that keep its value.
  public func encode(to encoder: inout CBOREncoder) { encoder.encode(double: self) }

  /// Reads a float.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    self = try decoder.double()
  }

  /// Compares the bits; all NaNs are the same.
  public func _$isSame(as other: Double) -> Bool {
    bitPattern == other.bitPattern || (isNaN && other.isNaN)
  }

  /// The digest of the number.
  public var _$digest: Digest { Digest(double: self) }
}

extension Float: ReplicatedState {
  /// A float of 32 bits.
  public static func schema(in registry: inout SchemaRegistry) -> Schema { .float32 }

  /// False: NaN differs from itself.
  public static var equalsItself: Bool { false }

  /// Writes a float with the fewest bits that keep its value.
  public func encode(to encoder: inout CBOREncoder) { encoder.encode(float: self) }

  /// Reads a float that fits in 32 bits.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    self = try decoder.float()
  }

  /// Compares the bits; all NaNs are the same.
  public func _$isSame(as other: Float) -> Bool {
    bitPattern == other.bitPattern || (isNaN && other.isNaN)
  }

  /// The digest of the number.
  public var _$digest: Digest { Digest(double: Double(self)) }
}

#if !((os(macOS) || targetEnvironment(macCatalyst)) && arch(x86_64))
extension Float16: ReplicatedState {
  /// A float of 16 bits.
  public static func schema(in registry: inout SchemaRegistry) -> Schema { .float16 }

  /// False: NaN differs from itself.
  public static var equalsItself: Bool { false }

  /// Writes a float with the fewest bits that keep its value, which is half precision.
  public func encode(to encoder: inout CBOREncoder) { encoder.encode(double: Double(self)) }

  /// Reads a float of half precision.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    self = Float16(try decoder.half())
  }

  /// Compares the bits; all NaNs are the same.
  public func _$isSame(as other: Float16) -> Bool {
    bitPattern == other.bitPattern || (isNaN && other.isNaN)
  }

  /// The digest of the number.
  public var _$digest: Digest { Digest(double: Double(self)) }
}
#endif
