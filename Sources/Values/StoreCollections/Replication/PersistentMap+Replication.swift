public import StoreBytes
public import StoreValues

extension PersistentMapRow: DigestedEntry where Key: WireValue, Value: WireValue {
  var contribution: UInt64 { MapDigest.hash(key._$digest, value._$digest) }
}

extension PersistentMap: WirePayload, WireValue where Key: WireValue, Value: WireValue {
  /// Values by key.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    [Key: Value].schema(in: &registry)
  }

  /// The same as for a `Dictionary`.
  public static var equalsItself: Bool { [Key: Value].equalsItself }

  /// Writes the entries in the order of their keys' encodings.
  public func encode(to encoder: inout CBOREncoder) {
    var items = SortedItems(like: encoder)
    tree.forEachRow { row in
      items.add {
        row.pointee.key.encode(to: &$0)
      } value: {
        row.pointee.value.encode(to: &$0)
      }
    }
    items.writeMap(to: &encoder)
  }

  /// Reads the entries.
  ///
  /// Throws for two keys with different encodings that are equal in Swift, because a map cannot
  /// hold both.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    self.init()
    let start = decoder
    var builder = RowTreeBuilder(identity: tree.identity)
    for _ in 0..<(try decoder.mapHeader()) {
      let key = try Key(from: &decoder)
      let value = try decoder.decode(Value.self, at: .key("\(key)"))
      builder.append(Row(key: key, value: value))
    }
    tree = try builder.finish { (position, key) throws(CodecError) in
      throw CodecError(
        .outOfRange,
        "the key \(key) equals another one",
        offset: try Self.offset(of: position, from: start),
      )
    }
  }

  /// The byte offset of an entry in a map that was read before.
  private static func offset(
    of position: Int,
    from start: CBORDecoder,
  ) throws(CodecError) -> Int {
    var decoder = start
    _ = try decoder.mapHeader()
    for _ in 0..<position {
      _ = try Key(from: &decoder)
      _ = try Value(from: &decoder)
    }
    return decoder.offset
  }

  /// Compares the encodings.
  public func _$isSame(as other: Self) -> Bool {
    guard Key.equalsItself else { return encoded() == other.encoded() }
    guard count == other.count else { return false }
    guard !tree.isIdentical(to: other.tree) else { return true }
    let alignment = tree.alignment(from: other.tree) { $0._$isSame(as: $1) }
    return alignment.removed.isEmpty && alignment.inserted.isEmpty
      && alignment.pairs.allSatisfy { row($0.old).value._$isSame(as: row($0.new).value) }
  }

  /// The digest of the entries in any order.
  ///
  /// The cost is proportional to the changes since the last call, unless keys can hold floats.
  public var _$digest: Digest {
    guard Key.equalsItself else { return Digest(ofTrusted: encoded()) }
    return Digest(
      container: CBOR.map,
      count: UInt64(count),
      content: tree.content { $0.pointee.contribution },
    )
  }

  fileprivate func row(_ row: UnsafeMutableRawPointer) -> Row {
    row.assumingMemoryBound(to: Row.self).pointee
  }

  /// The same entries; keys that differ from themselves, like NaN, can occur several times.
  fileprivate var dictionary: [Key: Value] {
    var result: [Key: Value] = [:]
    for (key, value) in self { result[key] = value }
    return result
  }
}

extension PersistentMap: ReplicatedState where Key: WireValue, Value: ReplicatedState {
  /// Writes the removed keys, the new entries and the changes inside of values.
  public func encodeDelta(from old: Self, to encoder: inout CBOREncoder) -> Bool {
    guard !tree.isIdentical(to: old.tree) else { return false }
    guard Key.equalsItself else {
      return dictionary.encodeDelta(from: old.dictionary, to: &encoder)
    }
    let alignment = tree.alignment(from: old.tree) { $0._$isSame(as: $1) }
    var changes = SortedItems(like: encoder)
    for entry in alignment.removed {
      changes.add(to: 0) { row(entry.row).key.encode(to: &$0) }
    }
    for entry in alignment.inserted {
      let row = row(entry.row)
      changes.add(to: 1) {
        row.key.encode(to: &$0)
      } value: {
        row.value.encode(to: &$0)
      }
    }
    for pair in alignment.pairs {
      let (before, row) = (row(pair.old), row(pair.new))
      changes.add(to: 2) {
        row.key.encode(to: &$0)
      } ifWritten: {
        row.value.encodeDelta(from: before.value, to: &$0)
      }
    }
    return encoder.encodeChanges(changes, itemsEach: [1, 2, 2])
  }

  /// Removes, inserts and changes entries.
  public mutating func applyDelta(from decoder: inout CBORDecoder) throws(CodecError) {
    guard Key.equalsItself else {
      var entries = dictionary
      try entries.applyDelta(from: &decoder)
      // Keys that can hold floats have no order of their own; the order of their encodings replaces
      // it.
      try readAgain(entries.encoded())
      return
    }
    try decoder.entryChanges(of: Key.self) { (decoder, change, key) throws(CodecError) in
      try apply(change, to: key, from: &decoder)
    }
  }

  private mutating func readAgain(_ bytes: [UInt8]) throws(CodecError) {
    self = try Self(encoded: bytes)
  }

  private mutating func apply(
    _ change: Int,
    to key: Key,
    from decoder: inout CBORDecoder,
  ) throws(CodecError) {
    let location = tree.location(of: key)
    let isSameKey = location.map { $0.row.pointee.key._$isSame(as: key) } ?? false
    switch (change, location?.position) {
    case (0, let position?) where isSameKey:
      _ = tree.remove(at: position)
    case (1, nil):
      append(key, try Value(from: &decoder))
    case (1, .some):
      let reason = isSameKey ? "the key is there already" : "the key equals another one"
      throw decoder.error(.deltaMismatch, reason)
    case (2, let position?) where isSameKey:
      try tree.uniqueRow(at: position).pointee.value.applyDelta(from: &decoder)
    default:
      throw decoder.error(.deltaMismatch, "the key is not there")
    }
  }
}
