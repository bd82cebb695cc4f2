public import StoreState

/// A value whose type need not be known to this program: one item of the protocol as a tree.
///
/// With a `SchemaDocument` it can be checked, changed by deltas and written as JSON. This is how
/// programs process states and actions of others.
///
/// Two generic values are equal if their encodings are the same bytes: texts are compared by their
/// UTF-8, floats by their bits. All NaNs are equal.
public enum GenericValue: Sendable {
  /// An integer of zero or more.
  case unsigned(UInt64)
  /// The integer `-1 - n`, below zero.
  case negative(UInt64)
  /// A float of any precision.
  case float(Double)
  /// False or true.
  case bool(Bool)
  /// A null item.
  case null
  /// A text.
  case text(String)
  /// A string of bytes.
  case bytes([UInt8])
  /// Items in order.
  case array(GenericItems)
  /// Entries with unique keys in bytewise order of the keys' encodings; see ``map(sorting:)``.
  case map([Entry])
  /// Unique elements in bytewise order of their encodings; see ``set(sorting:)``.
  case set([GenericValue])

  /// A key and its value.
  public struct Entry: Hashable, Sendable {
    /// The key.
    public var key: GenericValue
    /// The value.
    public var value: GenericValue

    /// Creates an entry.
    public init(_ key: GenericValue, _ value: GenericValue) {
      self.key = key
      self.value = value
    }
  }

  /// Items in order, of a plain array.
  public static func array(_ items: [GenericValue]) -> GenericValue { .array(GenericItems(items)) }

  /// An integer.
  public static func integer(_ value: Int64) -> GenericValue {
    value < 0 ? .negative(UInt64(bitPattern: ~value)) : .unsigned(UInt64(value))
  }

  /// Creates a map from entries in any order.
  ///
  /// - Returns: `nil` for a duplicate key.
  public static func map(sorting entries: [Entry]) -> GenericValue? {
    let sorted = entries.map { (order: $0.key.encoded(), entry: $0) }
      .sorted { $0.order.lexicographicallyPrecedes($1.order) }
    let isUnique = zip(sorted, sorted.dropFirst()).allSatisfy { $0.order != $1.order }
    return isUnique ? .map(sorted.map(\.entry)) : nil
  }

  /// Creates a map from unique texts.
  package static func map(named entries: [(String, GenericValue)]) -> GenericValue {
    guard let map = map(sorting: entries.map { Entry(.text($0.0), $0.1) }) else {
      preconditionFailure("A map names an entry twice, of \(entries.map(\.0))")
    }
    return map
  }

  /// Creates a set from elements in any order, which may contain duplicates.
  public static func set(sorting elements: [GenericValue]) -> GenericValue {
    let sorted = Set(elements).map { (order: $0.encoded(), element: $0) }
      .sorted { $0.order.lexicographicallyPrecedes($1.order) }
    return .set(sorted.map(\.element))
  }

  /// The value of a record's field, or of a text key; `nil` if this is not a map or lacks the key.
  public subscript(field name: String) -> GenericValue? {
    guard case .map(let entries) = self else { return nil }
    return entries.first { $0.key == .text(name) }?.value
  }
}

extension GenericValue: Hashable {
  /// Whether both have the same encoding.
  public static func == (left: GenericValue, right: GenericValue) -> Bool {
    switch (left, right) {
    case (.unsigned(let left), .unsigned(let right)): left == right
    case (.negative(let left), .negative(let right)): left == right
    case (.float(let left), .float(let right)):
      left.bitPattern == right.bitPattern || (left.isNaN && right.isNaN)
    case (.bool(let left), .bool(let right)): left == right
    case (.null, .null): true
    case (.text(let left), .text(let right)): left._$isSame(as: right)
    case (.bytes(let left), .bytes(let right)): left == right
    case (.array(let left), .array(let right)): left == right
    case (.map(let left), .map(let right)): left == right
    case (.set(let left), .set(let right)): left == right
    default: false
    }
  }

  /// Hashes the value, so that values of the same encoding have the same hash.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .unsigned(let value), .negative(let value):
      hasher.combine(value)
    case .float(let value):
      hasher.combine(value.isNaN ? Double.nan.bitPattern : value.bitPattern)
    case .bool(let value):
      hasher.combine(value)
    case .null:
      hasher.combine(0)
    case .text(var text):
      text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
      hasher.combine(text.utf8.count)
    case .bytes(let bytes):
      bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
      hasher.combine(bytes.count)
    case .array(let items):
      hasher.combine(items)
    case .set(let values):
      hasher.combine(values)
    case .map(let entries):
      hasher.combine(entries)
    }
  }
}

extension GenericValue: ReplicatedState {
  /// Any item.
  public static func schema(in registry: inout SchemaRegistry) -> Schema { .any }

  /// True: the item may be null.
  public static var admitsNull: Bool { true }

  /// Writes the item.
  public func encode(to encoder: inout CBOREncoder) {
    switch self {
    case .unsigned(let value): encoder.encode(unsigned: value)
    case .negative(let complement): encoder.encode(negative: complement)
    case .float(let value): encoder.encode(double: value)
    case .bool(let value): encoder.encode(bool: value)
    case .null: encoder.encodeNull()
    case .text(let text): encoder.encode(text: text)
    case .bytes(let bytes): encoder.encode(bytes: bytes)
    case .array(let values):
      encoder.arrayHeader(values.count)
      for value in values { value.encode(to: &encoder) }
    case .map(let entries):
      encoder.mapHeader(entries.count)
      for entry in entries {
        entry.key.encode(to: &encoder)
        entry.value.encode(to: &encoder)
      }
    case .set(let values):
      encoder.setHeader(values.count)
      for value in values { value.encode(to: &encoder) }
    }
  }

  /// Reads an item of any kind.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    switch try decoder.peekKind() {
    case .unsigned: self = .unsigned(try decoder.unsigned())
    case .negative: self = .negative(try decoder.negative())
    case .float: self = .float(try decoder.double())
    case .bool: self = .bool(try decoder.bool())
    case .null:
      try decoder.null()
      self = .null
    case .text: self = .text(try decoder.text())
    case .bytes: self = .bytes(try decoder.byteString())
    case .array: self = .array(try Self.items(try decoder.arrayHeader(), from: &decoder))
    case .tag: self = .set(try Self.items(try decoder.setHeader(), from: &decoder))
    case .map:
      let count = try decoder.mapHeader()
      var entries: [Entry] = []
      entries.reserveCapacity(Swift.min(count, Self.mostReserved))
      for _ in 0..<count {
        let key = try GenericValue(from: &decoder)
        entries.append(Entry(key, try GenericValue(from: &decoder)))
      }
      self = .map(entries)
    }
  }

  /// Compares the values.
  public func _$isSame(as other: GenericValue) -> Bool { self == other }

  /// The digest of the encoding; for rows in a tree the cost is proportional to the changes since
  /// the last call.
  public var _$digest: Digest {
    switch self {
    case .unsigned(let value): return value._$digest
    case .float(let value): return value._$digest
    case .bool(let value): return value._$digest
    case .text(let text): return text._$digest
    case .bytes(let bytes): return bytes.withUnsafeBytes { Digest(bytes: $0) }
    case .array(let items): return items.digest
    case .map(let entries):
      var digest = MapDigest()
      for entry in entries { digest.add(key: entry.key._$digest, value: entry.value._$digest) }
      return digest.finish()
    case .negative, .null, .set: return Digest(ofTrusted: encoded())
    }
  }

  /// The most items for which memory is reserved; beyond this limit the array grows.
  ///
  /// A header justifies as many items as there are bytes left, but an item takes more memory than
  /// a byte.
  private static let mostReserved = 1_024

  private static func items(
    _ count: Int,
    from decoder: inout CBORDecoder,
  ) throws(CodecError) -> [GenericValue] {
    var items: [GenericValue] = []
    items.reserveCapacity(Swift.min(count, mostReserved))
    for _ in 0..<count { items.append(try GenericValue(from: &decoder)) }
    return items
  }
}

extension GenericValue: CustomStringConvertible {
  /// The value as JSON without a schema.
  public var description: String { JSONProjection.json(self) }

  /// The value in the words of an error message: a short value itself, otherwise its kind.
  package var foundText: String {
    switch self {
    case .text(let text) where text.utf8.count > 40: "text"
    case .bytes: "bytes"
    case .array: "an array"
    case .map: "a map"
    case .set: "a set"
    default: description
    }
  }

  /// The value, a key or an id of a schema, as a step of an error's path.
  package func pathElement(
    _ schema: Schema,
    in document: SchemaDocument,
  ) -> CodecError.PathElement {
    let tree = JSONProjection.tree(self, schema: schema, in: document)
    if case .string(let text) = tree { return .key(text) }
    return .key(tree.text())
  }
}
