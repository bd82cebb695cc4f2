/// The kind of a value.
///
/// Records and choices are always `named`; the `SchemaDocument` contains their definitions.
public indirect enum Schema: Hashable, Sendable {
  /// False or true.
  case bool
  /// An integer of 8 bits with a sign.
  case int8
  /// An integer of 16 bits with a sign.
  case int16
  /// An integer of 32 bits with a sign.
  case int32
  /// An integer of 64 bits with a sign.
  case int64
  /// An integer of 8 bits without a sign.
  case uint8
  /// An integer of 16 bits without a sign.
  case uint16
  /// An integer of 32 bits without a sign.
  case uint32
  /// An integer of 64 bits without a sign.
  case uint64
  /// An integer of 128 bits with a sign.
  case int128
  /// An integer of 128 bits without a sign.
  case uint128
  /// A float of 16 bits.
  case float16
  /// A float of 32 bits.
  case float32
  /// A float of 64 bits.
  case float64
  /// A text.
  case text
  /// A string of bytes.
  case bytes
  /// A universally unique identifier.
  case uuid
  /// A point in time.
  case date
  /// A length of time.
  case duration
  /// A uniform resource locator.
  case url
  /// Always null.
  case null
  /// Any item.
  case any
  /// A value that may be absent.
  case optional(Schema)
  /// Elements in order.
  case array(Schema)
  /// Unique elements without order.
  case set(Schema)
  /// Values by key.
  case dictionary(key: Schema, value: Schema)
  /// Records in order, each with a unique id.
  case identified(idField: String, id: Schema, element: Schema)
  /// A record or choice that the document defines.
  case named(String)
}

extension Schema {
  /// Names and schemas of the kinds without parts.
  static let simpleKinds: [(name: String, schema: Schema)] = [
    ("bool", .bool), ("int8", .int8), ("int16", .int16), ("int32", .int32), ("int64", .int64),
    ("uint8", .uint8), ("uint16", .uint16), ("uint32", .uint32), ("uint64", .uint64),
    ("int128", .int128), ("uint128", .uint128), ("float16", .float16), ("float32", .float32),
    ("float64", .float64),
    ("text", .text), ("bytes", .bytes), ("uuid", .uuid), ("date", .date), ("duration", .duration),
    ("url", .url), ("null", .null),
    ("any", .any),
  ]

  /// The name of a kind without parts in a document; nil for other kinds.
  var simpleName: String? {
    Self.simpleKinds.first { $0.schema == self }?.name
  }

  /// Whether a value of this kind may be written as null.
  ///
  /// Named kinds are records and choices, which never are.
  package var admitsNull: Bool {
    switch self {
    case .optional, .null, .any: true
    default: false
    }
  }
}

extension Schema: CustomStringConvertible {
  /// The kind in the words of an error message: `optional text`, `array of Todo`.
  public var description: String {
    switch self {
    case .optional(let wrapped): "optional \(wrapped)"
    case .array(let element): "array of \(element)"
    case .set(let element): "set of \(element)"
    case .dictionary(let key, let value): "dictionary from \(key) to \(value)"
    case .identified(let field, _, let element): "array of \(element) identified by \(field)"
    case .named(let name): name
    default: simpleName ?? "nothing"
    }
  }
}
