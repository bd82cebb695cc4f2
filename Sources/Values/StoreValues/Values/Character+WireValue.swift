public import StoreBytes

extension Character: ReplicatedState {
  /// A text.
  public static func schema(in registry: inout SchemaRegistry) -> Schema { .text }

  /// True: a character equals each of its copies.
  public static var equalsItself: Bool { true }

  /// Writes a text of one character.
  public func encode(to encoder: inout CBOREncoder) { encoder.encode(text: String(self)) }

  /// Reads a text of one character.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    let start = decoder.offset
    self = try Self.only(in: try decoder.text(), offset: start)
  }

  /// Compares the UTF-8 bytes.
  public func _$isSame(as other: Character) -> Bool { utf8.elementsEqual(other.utf8) }

  /// The digest of the text.
  public var _$digest: Digest { Digest(text: String(self)) }

  /// Writes the delta of the text.
  public func encodeDelta(from old: Character, to encoder: inout CBOREncoder) -> Bool {
    String(self).encodeDelta(from: String(old), to: &encoder)
  }

  /// Applies a delta of the text.
  public mutating func applyDelta(from decoder: inout CBORDecoder) throws(CodecError) {
    let start = decoder.offset
    var text = String(self)
    try text.applyTextDelta(from: &decoder)
    self = try Self.only(in: text, offset: start)
  }

  private static func only(in text: String, offset: Int) throws(CodecError) -> Character {
    guard let first = text.first, text.index(after: text.startIndex) == text.endIndex else {
      throw CodecError(
        .outOfRange,
        "expected one character, found \(text.count)",
        offset: offset,
      )
    }
    return first
  }
}
