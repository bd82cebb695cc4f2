public import StoreBytes

extension String: ReplicatedState {
  /// A text.
  public static func schema(in registry: inout SchemaRegistry) -> Schema { .text }

  /// True: a text equals each of its copies.
  public static var equalsItself: Bool { true }

  /// Writes a text.
  @inlinable
  public func encode(to encoder: inout CBOREncoder) { encoder.encode(text: self) }

  /// Reads a text.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    self = try decoder.text()
  }

  /// Compares the UTF-8 bytes; `==` would treat different normalizations as equal.
  public func _$isSame(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    let areSame = utf8.withContiguousStorageIfAvailable { mine in
      other.utf8.withContiguousStorageIfAvailable { mine.elementsEqual($0) }
    }
    return (areSame ?? nil) ?? utf8.elementsEqual(other.utf8)
  }

  /// Writes one splice of the old text, or the new text if a splice would not save enough.
  public func encodeDelta(from old: String, to encoder: inout CBOREncoder) -> Bool {
    guard !_$isSame(as: old) else { return false }
    var (new, old) = (self, old)
    new.withUTF8 { new in
      old.withUTF8 { encoder.encodeSplice(from: $0, to: new, isText: true) }
    }
    return true
  }

  /// Reads a new text, or splices of the old one.
  public mutating func applyDelta(from decoder: inout CBORDecoder) throws(CodecError) {
    try applyTextDelta(from: &decoder)
  }

  /// The digest of the text.
  public var _$digest: Digest { Digest(text: self) }
}
