/// An enumeration that is part of a state and whose payloads are replicated part by part.
public protocol ReplicatedChoice: ReplicatedState {
  /// All cases.
  static var layout: ChoiceLayout<Self> { get }
}

extension ReplicatedChoice {
  /// A choice of the layout's cases.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    layout.schema(in: &registry)
  }

  /// Writes the case and its payload.
  public func encode(to encoder: inout CBOREncoder) { Self.layout.encode(self, to: &encoder) }

  /// Reads a case and its payload.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    self = try Self.layout.decode(from: &decoder)
  }

  /// Compares the cases and their payloads.
  public func _$isSame(as other: Self) -> Bool { Self.layout.isSame(self, other) }

  /// The digest of the case and its payload.
  public var _$digest: Digest { Self.layout.digest(self) }

  /// Writes the new case, or the changes inside of the payload.
  public func encodeDelta(from old: Self, to encoder: inout CBOREncoder) -> Bool {
    Self.layout.encodeDelta(self, from: old, to: &encoder)
  }

  /// Reads the new case, or applies changes inside of the payload.
  public mutating func applyDelta(from decoder: inout CBORDecoder) throws(CodecError) {
    try Self.layout.applyDelta(to: &self, from: &decoder)
  }
}
