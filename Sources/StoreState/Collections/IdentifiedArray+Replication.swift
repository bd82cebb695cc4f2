import OrderedCollections

extension IdentifiedArray: WirePayload, WireValue
where Element: WireValue & Identifiable, ID == Element.ID, ID: WireValue {
  /// Records in order; their id is the field `id`.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    let id = ID.schema(in: &registry)
    return .identified(idField: "id", id: id, element: Element.schema(in: &registry))
  }

  /// Writes the elements in their order.
  public func encode(to encoder: inout CBOREncoder) {
    checkReplicable()
    encoder.arrayHeader(count)
    for element in storage.values { element.encode(to: &encoder) }
  }

  /// Reads elements, and refuses an id that occurs twice.
  ///
  /// Two ids that differ in their encodings but are equal in Swift cannot both be held, and are
  /// refused too.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    self.init()
    for index in 0..<(try decoder.arrayHeader()) {
      let start = decoder.offset
      let element = try decoder.decode(Element.self, at: .index(index))
      guard storage.updateValue(element, forKey: element.id) == nil else {
        throw CodecError(.outOfRange, "the id \(element.id) equals another one", offset: start)
          .inside(.index(index))
      }
    }
  }

  /// Compares the elements' encodings.
  public func isSame(as other: Self) -> Bool {
    guard count == other.count else { return false }
    guard !hasSameStorage(as: other) else { return true }
    for (one, other) in zip(storage.values, other.storage.values) where !one.isSame(as: other) {
      return false
    }
    return true
  }

  /// Whether both are the same piece of memory; then nobody need look at the elements.
  fileprivate func hasSameStorage(as other: Self) -> Bool {
    storage.values.elements.withUnsafeBufferPointer { mine in
      other.storage.values.elements.withUnsafeBufferPointer {
        $0.baseAddress == mine.baseAddress && $0.count == mine.count
      }
    }
  }

  /// An array that was made with another key path than `\.id` has no place for its ids on the wire.
  fileprivate func checkReplicable() {
    guard let key = storage.keys.first, let element = storage.values.first else { return }
    precondition(
      element.id == key,
      "An array that is identified by a key path other than \\.id cannot be replicated: "
        + "the first of \(count) elements has the id \(element.id) and is found by \(key)",
    )
  }
}

extension IdentifiedArray: ReplicatedState
where Element: ReplicatedState & Identifiable, ID == Element.ID, ID: WireValue {
  /// The digest of the elements in order.
  public var digest: Digest {
    var digest = SequenceDigest()
    for element in storage.values { digest.append(element.digest) }
    return digest.finish()
  }

  /// Writes which elements went, moved, came, and changed inside.
  public func encodeDelta(from old: Self, to encoder: inout CBOREncoder) -> Bool {
    guard !hasSameStorage(as: old) else { return false }
    checkReplicable()
    return IdentifiedDifference(old: old.storage, new: storage).encode(to: &encoder)
  }

  /// Lets elements go, move, come, and change inside.
  public mutating func applyDelta(from decoder: inout CBORDecoder) throws(CodecError) {
    var edit = IdentifiedEdit<ID, Element>(storage: storage)
    // The only reference to the elements, so that they can change in place.
    storage = [:]
    try edit.apply(&decoder)
    storage = edit.storage
  }
}
