public import StoreBytes

extension Bool: ReplicatedState {
  /// False or true.
  public static func schema(in registry: inout SchemaRegistry) -> Schema { .bool }

  /// True: `==` compares the value alone.
  public static var equalsItself: Bool { true }

  /// Writes false or true.
  @inlinable
  public func encode(to encoder: inout CBOREncoder) { encoder.encode(bool: self) }

  /// Reads false or true.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    self = try decoder.bool()
  }

  /// Compares the values.
  public func _$isSame(as other: Bool) -> Bool { self == other }

  /// The digest of the value.
  public var _$digest: Digest { Digest(bool: self) }
}
