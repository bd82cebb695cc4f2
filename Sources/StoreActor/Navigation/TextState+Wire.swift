public import StoreState

/// The wire form of a text has no styles.
extension TextState: ReplicatedState {
  /// A text.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    registry._$noteHiddenParts()
    return .text
  }

  /// False: a text with styles differs from its copy, which has none.
  public static var equalsItself: Bool { false }

  /// Writes the plain text.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.encode(text: plainText)
  }

  /// Reads a plain text.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    self.init(verbatim: try decoder.text())
  }

  /// Compares the plain texts.
  public func _$isSame(as other: Self) -> Bool { plainText._$isSame(as: other.plainText) }

  /// The digest of the plain text.
  public var _$digest: Digest { plainText._$digest }

  /// Writes the change of the plain text.
  public func encodeDelta(from old: Self, to encoder: inout CBOREncoder) -> Bool {
    plainText.encodeDelta(from: old.plainText, to: &encoder)
  }

  /// Changes the plain text and drops the styles of the old one.
  public mutating func applyDelta(from decoder: inout CBORDecoder) throws(CodecError) {
    var text = plainText
    try text.applyDelta(from: &decoder)
    self = Self(verbatim: text)
  }
}
