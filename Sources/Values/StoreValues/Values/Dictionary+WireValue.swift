public import StoreBytes

extension Dictionary: WirePayload, WireValue where Key: WireValue, Value: WireValue {
  /// Values by key.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    let key = Key.schema(in: &registry)
    return .dictionary(key: key, value: Value.schema(in: &registry))
  }

  /// True if it is true of the keys and the values.
  public static var equalsItself: Bool { Key.equalsItself && Value.equalsItself }

  /// Writes the entries in the order of their keys' encodings.
  public func encode(to encoder: inout CBOREncoder) {
    var items = SortedItems(like: encoder)
    for (key, value) in self {
      items.add {
        key.encode(to: &$0)
      } value: {
        value.encode(to: &$0)
      }
    }
    items.writeMap(to: &encoder)
  }

  /// Reads the entries.
  ///
  /// Throws for two keys with different encodings that are equal in Swift, because a dictionary
  /// cannot hold both.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    self = [:]
    for _ in 0..<(try decoder.mapHeader()) {
      let start = decoder.offset
      let key = try Key(from: &decoder)
      let value = try decoder.decode(Value.self, at: .key("\(key)"))
      guard updateValue(value, forKey: key) == nil else {
        throw CodecError(.outOfRange, "the key \(key) equals another one", offset: start)
      }
    }
  }

  /// Compares the encodings.
  public func _$isSame(as other: [Key: Value]) -> Bool {
    guard !hasTwins, !other.hasTwins else { return encoded() == other.encoded() }
    return count == other.count
      && allSatisfy { key, value in
        other.place(of: key).map { other[$0].value._$isSame(as: value) } ?? false
      }
  }

  /// The digest of the entries in any order.
  public var _$digest: Digest {
    guard !hasTwins else { return Digest(ofTrusted: encoded()) }
    var digest = MapDigest()
    for (key, value) in self { digest.add(key: key._$digest, value: value._$digest) }
    return digest.finish()
  }

  /// Whether several keys have the same encoding: a dictionary can hold a key that differs from
  /// itself, like NaN, any number of times.
  fileprivate var hasTwins: Bool {
    guard !Key.equalsItself else { return false }
    return Set(keys.map { $0.encoded() }).count < count
  }

  /// The entries of the encoding: of keys with the same encoding, the one with the least value.
  fileprivate var withoutTwins: [Key: Value] {
    guard hasTwins else { return self }
    var kept: [[UInt8]: (entry: Element, value: [UInt8])] = [:]
    for entry in self {
      let (key, value) = (entry.key.encoded(), entry.value.encoded())
      if let other = kept[key], CBORDecoder.compare(other.value[...], value[...]) <= 0 { continue }
      kept[key] = (entry, value)
    }
    var result: [Key: Value] = [:]
    for (entry, _) in kept.values { result[entry.key] = entry.value }
    return result
  }

  /// The index of the entry whose key has the same encoding.
  fileprivate func place(of key: Key) -> Index? {
    if let index = index(forKey: key) { return self[index].key._$isSame(as: key) ? index : nil }
    return Key.equalsItself ? nil : firstIndex { $0.key._$isSame(as: key) }
  }
}

extension Dictionary: ReplicatedState where Key: WireValue, Value: ReplicatedState {
  /// Writes the removed keys, the new entries and the changes inside of values.
  public func encodeDelta(from old: [Key: Value], to encoder: inout CBOREncoder) -> Bool {
    let (new, old) = (withoutTwins, old.withoutTwins)
    var changes = SortedItems(like: encoder)
    for key in old.keys where new.place(of: key) == nil {
      changes.add(to: 0) { key.encode(to: &$0) }
    }
    for (key, value) in new {
      if let place = old.place(of: key) {
        changes.add(to: 2) {
          key.encode(to: &$0)
        } ifWritten: {
          value.encodeDelta(from: old[place].value, to: &$0)
        }
      } else {
        changes.add(to: 1) {
          key.encode(to: &$0)
        } value: {
          value.encode(to: &$0)
        }
      }
    }
    guard encoder.encodeChanges(changes, itemsEach: [1, 2, 2]) else { return false }
    encoder.unshared += new.count * MemoryLayout<Element>.stride
    return true
  }

  /// Removes, inserts and changes entries.
  public mutating func applyDelta(from decoder: inout CBORDecoder) throws(CodecError) {
    self = withoutTwins
    try decoder.entryChanges(of: Key.self) { (decoder, change, key) throws(CodecError) in
      try apply(change, to: key, from: &decoder)
    }
  }

  private mutating func apply(
    _ change: Int,
    to key: Key,
    from decoder: inout CBORDecoder,
  ) throws(CodecError) {
    let place = place(of: key)
    switch (change, place) {
    case (0, let place?):
      remove(at: place)
    case (1, .some):
      throw decoder.error(.deltaMismatch, "the key is there already")
    case (1, nil):
      guard updateValue(try Value(from: &decoder), forKey: key) == nil else {
        throw decoder.error(.deltaMismatch, "the key equals another one")
      }
    case (2, let place?):
      try values[place].applyDelta(from: &decoder)
    default:
      throw decoder.error(.deltaMismatch, "the key is not there")
    }
  }
}
