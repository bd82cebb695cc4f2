public import StoreBytes

/// A part of an action or a state: the common part of `WireValue` and `WireAction`.
///
/// Conform to one of those two; this protocol is for code that accepts either.
public protocol WirePayload: Sendable {
  /// The kind of value; types with fields or cases define themselves in the registry.
  static func schema(in registry: inout SchemaRegistry) -> Schema

  /// Writes one item in deterministic form.
  ///
  /// - Throws: A `CodecError` for an action that is private to the process that owns the state.
  func encode(to encoder: inout CBOREncoder) throws(CodecError)

  /// Reads one item; bytes that `encode(to:)` would not write are rejected.
  init(from decoder: inout CBORDecoder) throws(CodecError)
}

extension WirePayload {
  /// Produces a compiler error that names the macro for the missing members.
  @available(
    *,
    unavailable,
    message: """
      '@ObservableState' writes what a state needs to travel, '@CasePathable' or '@Reducer' what \
      an action does: put it before the declaration, and name the protocol in the declaration \
      itself, not in an extension and not by a typealias
      """
  )
  public static func schema(in registry: inout SchemaRegistry) -> Schema { .any }
}

/// A value that an action or a state can contain.
public protocol WireValue: WirePayload {
  /// Writes one item in deterministic form.
  func encode(to encoder: inout CBOREncoder)

  /// Whether the value may be written as null.
  ///
  /// An optional of such a type wraps its value in an array, so that "absent" and "present, but
  /// null" differ. The default is false.
  static var admitsNull: Bool { get }

  /// Whether `==` finds every value equal to itself and to each of its copies.
  ///
  /// It is false for types that contain floats: NaN differs from itself, so a set can hold it any
  /// number of times. It is also false if `==` compares a part that is not replicated: a copy lacks
  /// that part. Sets and dictionaries are slower for such types. The default is derived from
  /// the schema.
  static var equalsItself: Bool { get }

  /// Whether both values have the same encoding.
  ///
  /// This is the meaning of sameness here, and it is stricter than `==`: two texts with different
  /// normalizations, or 0.0 and -0.0, are not the same. All NaNs are the same.
  ///
  /// Like ``_$digest`` it has a name that no author's property or method has. A manual conformance
  /// with a faster comparison uses this name; a method with another name is not called.
  func _$isSame(as other: Self) -> Bool

  /// A number that is a function of the value's encoding alone.
  var _$digest: Digest { get }

  /// Whether `init(_$plain:)` is faster than `init(from:)`. The default is false.
  static var _$isPlain: Bool { get }

  /// Reads one item if its bytes are those that this build's `encode(to:)` writes.
  ///
  /// It may fail on any bytes, but must not accept bytes that `init(from:)` would reject or read
  /// differently. The default implementation uses `init(from:)`.
  init(_$plain reader: inout _$PlainReader) throws(_$NotPlain)
}

extension WireValue {
  /// False: most types are never written as null.
  public static var admitsNull: Bool { false }

  /// Whether the schema contains no kind that can hold a float, and the encoding covers the
  /// whole value.
  public static var equalsItself: Bool { KnownEqualities.equalsItself(Self.self) }

  /// False: the default reader uses `init(from:)`.
  @inlinable
  public static var _$isPlain: Bool { false }

  /// Reads with `init(from:)`.
  @inlinable
  public init(_$plain reader: inout _$PlainReader) throws(_$NotPlain) {
    self = try reader.decoded()
  }

  /// Compares the encodings.
  public func _$isSame(as other: Self) -> Bool { encoded() == other.encoded() }

  /// The digest of the encoding.
  public var _$digest: Digest { Digest(ofTrusted: encoded()) }

  /// The value's encoding.
  @inlinable
  public func encoded() -> [UInt8] {
    var encoder = CBOREncoder()
    encode(to: &encoder)
    return encoder.bytes
  }

  /// Reads a value from exactly its encoding.
  @inlinable
  public init(encoded bytes: ArraySlice<UInt8>) throws(CodecError) {
    var decoder = CBORDecoder(bytes)
    self = try ReadingScope.run { () throws(CodecError) in try decoder.value(Self.self) }
    try decoder.finish()
  }

  /// Reads a value from exactly its encoding.
  @inlinable
  public init(encoded bytes: [UInt8]) throws(CodecError) {
    try self.init(encoded: bytes[...])
  }
}
