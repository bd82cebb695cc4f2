/// A structure whose fields are replicated one by one.
///
/// The layout is the only requirement without a default besides `init()`:
///
///     extension Todo: ReplicatedRecord {
///       static let layout = RecordLayout<Todo>("Todo", [
///         .field("id", \.id),
///         .field("title", \.title),
///       ])
///     }
///
/// Properties outside of the layout are private to their process: a copy has their values from
/// `init()`. If `==` compares them and values are keys or elements of sets, the type declares
/// `static var equalsItself: Bool { false }`. Fields are set through their key paths, so their
/// property observers also run in a copy; generated conformances set them without observers.
public protocol ReplicatedRecord: ReplicatedState {
  /// The fields.
  static var layout: RecordLayout<Self> { get }

  /// Creates a value whose fields are then filled in.
  init()
}

extension ReplicatedRecord {
  /// A record of the layout's fields.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    layout.schema(in: &registry, initial: Self())
  }

  /// Writes the fields.
  public func encode(to encoder: inout CBOREncoder) { Self.layout.encode(self, to: &encoder) }

  /// Reads the fields.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    var value = Self()
    try Self.layout.decode(into: &value, from: &decoder)
    self = value
  }

  /// Compares the fields.
  public func _$isSame(as other: Self) -> Bool { Self.layout.isSame(self, other) }

  /// The digest of the fields.
  public var _$digest: Digest { Self.layout.digest(self) }

  /// Writes the deltas of the fields that changed.
  public func encodeDelta(from old: Self, to encoder: inout CBOREncoder) -> Bool {
    Self.layout.encodeDelta(self, from: old, to: &encoder)
  }

  /// Applies the deltas of the fields that changed.
  public mutating func applyDelta(from decoder: inout CBORDecoder) throws(CodecError) {
    try Self.layout.applyDelta(to: &self, from: &decoder)
  }
}
