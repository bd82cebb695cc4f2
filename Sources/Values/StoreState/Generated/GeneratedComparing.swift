/// Whether two fields have the same encoding: for generated code.
///
/// - Parameters:
///   - one: A value.
///   - other: Another one.
/// - Returns: True if the bits are equal; otherwise the result of `_$isSame(as:)`.
@inlinable
public func _$areSame<Part: ReplicatedState>(_ one: Part, _ other: Part) -> Bool {
  _$haveSameBits(one, other) || one._$isSame(as: other)
}

/// A placeholder for values that the schema rejects at compile time.
///
/// - Parameters:
///   - one: A value.
///   - other: Another one.
/// - Returns: True.
public func _$areSame<Part>(_ one: Part, _ other: Part) -> Bool { true }

/// The digest of a record or payload while generated code adds its fields.
public struct _$DigestWriter {
  private var digest = MapDigest()

  /// Begins the digest.
  public init() {}

  /// Adds a field by the digest of its name.
  @inlinable
  public mutating func field<Part: ReplicatedState>(_ name: UInt64, _ value: Part) {
    add(name, value._$digest)
  }

  /// A placeholder for a value that the schema rejects at compile time.
  public mutating func field<Part>(_ name: UInt64, _ value: Part) {}

  @usableFromInline
  mutating func add(_ name: UInt64, _ value: Digest) {
    digest.add(key: Digest(rawValue: name), value: value)
  }

  /// The digest of a record, or of a payload alone.
  public func finish() -> Digest { digest.finish() }

  /// The digest of a case with this payload, by the digest of the case's name.
  public func finish(case name: UInt64) -> Digest {
    var outer = MapDigest()
    outer.add(key: Digest(rawValue: name), value: digest.finish())
    return outer.finish()
  }
}
