public import StoreBytes

/// What can be written into an action or a state: the common part of `WireValue` and `WireAction`.
///
/// Conform to one of those two; this protocol is for code that takes either.
public protocol WirePayload: Sendable {
  /// The kind of value; types with fields or cases define themselves in the registry.
  static func schema(in registry: inout SchemaRegistry) -> Schema

  /// Writes one item in deterministic form.
  ///
  /// - Throws: A `CodecError` for an action that is private to the process that owns the state.
  func encode(to encoder: inout CBOREncoder) throws(CodecError)

  /// Reads one item; everything that `encode(to:)` would not have written is refused.
  init(from decoder: inout CBORDecoder) throws(CodecError)
}

extension WirePayload {
  /// Says who writes the members that are missing.
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

/// What travels in an action or a state.
public protocol WireValue: WirePayload {
  /// Writes one item in deterministic form.
  func encode(to encoder: inout CBOREncoder)

  /// Whether the value may be written as null.
  ///
  /// An optional of such a type wraps its value in an array, so that "absent" and "present, but
  /// null" differ. False unless a type says otherwise.
  static var admitsNull: Bool { get }

  /// Whether `==` finds every value equal to itself and to each of its copies.
  ///
  /// It does not for types that contain floats: NaN differs from itself, so a set can hold it any
  /// number of times. Nor does it where `==` looks at something that is not replicated: a copy
  /// lacks that. Sets and dictionaries take more trouble with such types. The schema tells unless a
  /// type does.
  static var equalsItself: Bool { get }

  /// Whether both values have the same encoding.
  ///
  /// That is what sameness means here, and it is stricter than `==`: two texts that differ in
  /// their normalisation, or 0.0 and -0.0, are not the same; every NaN is the same as any other.
  ///
  /// Like ``_$digest`` it has a name that no property and no method of an author has. A conformance
  /// by hand that has a quicker way uses this name; under another name it is not called.
  func _$isSame(as other: Self) -> Bool

  /// A number that is a function of the value's encoding and of nothing else.
  var _$digest: Digest { get }

  /// Whether `init(_$plain:)` is quicker than `init(from:)`. False unless a type says otherwise.
  static var _$isPlain: Bool { get }

  /// Reads one item if its bytes are such as this build's `encode(to:)` writes.
  ///
  /// It may give up whatever the bytes are, but may read nothing that `init(from:)` would refuse or
  /// read differently. Unless a type has one of its own, this asks `init(from:)`.
  init(_$plain reader: inout _$PlainReader) throws(_$NotPlain)
}

extension WireValue {
  /// False.
  public static var admitsNull: Bool { false }

  /// Whether the schema names nothing that can hold a float, and the encoding has all that the
  /// value has.
  public static var equalsItself: Bool { KnownEqualities.equalsItself(Self.self) }

  /// False.
  @inlinable
  public static var _$isPlain: Bool { false }

  /// Reads what `init(from:)` reads.
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

  /// Reads a value of which `bytes` is the encoding, neither less nor more.
  @inlinable
  public init(encoded bytes: ArraySlice<UInt8>) throws(CodecError) {
    var decoder = CBORDecoder(bytes)
    self = try ReadingScope.run { () throws(CodecError) in try decoder.value(Self.self) }
    try decoder.finish()
  }

  /// Reads a value of which `bytes` is the encoding, neither less nor more.
  @inlinable
  public init(encoded bytes: [UInt8]) throws(CodecError) {
    try self.init(encoded: bytes[...])
  }
}
