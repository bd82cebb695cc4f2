public import StoreBytes
public import StoreValues

extension PersistentSet: WirePayload, WireValue where Element: WireValue {
  /// Elements without order.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    Set<Element>.schema(in: &registry)
  }

  /// The same as for the element type.
  public static var equalsItself: Bool { Element.equalsItself }

  /// Writes the elements in the order of their encodings.
  public func encode(to encoder: inout CBOREncoder) {
    var items = SortedItems()
    tree.forEachRow { row in items.add { row.pointee.encode(to: &$0) } }
    items.writeSet(to: &encoder)
  }

  /// Reads the elements.
  ///
  /// Throws for two elements with different encodings that are equal in Swift, because a set cannot
  /// hold both.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    self.init()
    for _ in 0..<(try decoder.setHeader()) {
      let start = decoder.offset
      guard insert(try Element(from: &decoder)).inserted else {
        throw CodecError(.outOfRange, "the element equals another one", offset: start)
      }
    }
  }

  /// Compares the encodings.
  public func _$isSame(as other: Self) -> Bool {
    guard Element.equalsItself else { return encoded() == other.encoded() }
    guard count == other.count else { return false }
    guard !tree.isIdentical(to: other.tree) else { return true }
    let alignment = tree.alignment(from: other.tree) { $0._$isSame(as: $1) }
    return alignment.removed.isEmpty && alignment.inserted.isEmpty
  }

  /// The digest of the elements in any order.
  ///
  /// The cost is proportional to the changes since the last call, unless elements can hold floats.
  public var _$digest: Digest {
    guard Element.equalsItself else { return Digest(ofTrusted: encoded()) }
    return Digest(
      container: CBOR.tag,
      count: UInt64(count),
      content: tree.content { SetDigest.hash($0.pointee._$digest) },
    )
  }
}

extension PersistentSet: ReplicatedState where Element: ReplicatedState {
  /// Writes the removed and the new elements.
  public func encodeDelta(from old: Self, to encoder: inout CBOREncoder) -> Bool {
    guard !tree.isIdentical(to: old.tree) else { return false }
    guard Element.equalsItself else {
      return Set(self).encodeDelta(from: Set(old), to: &encoder)
    }
    let alignment = tree.alignment(from: old.tree) { $0._$isSame(as: $1) }
    var changes = SortedItems()
    for entry in alignment.removed { changes.add(to: 0) { element(entry).encode(to: &$0) } }
    for entry in alignment.inserted { changes.add(to: 1) { element(entry).encode(to: &$0) } }
    return encoder.encodeChanges(changes, itemsEach: [1, 1])
  }

  private func element(_ entry: RowAlignment.Entry) -> Element {
    entry.row.assumingMemoryBound(to: Element.self).pointee
  }

  /// Removes and inserts elements.
  public mutating func applyDelta(from decoder: inout CBORDecoder) throws(CodecError) {
    guard Element.equalsItself else {
      var elements = Set(self)
      try elements.applyDelta(from: &decoder)
      // Elements that can hold floats have no order of their own; the order of their encodings
      // replaces it.
      let bytes = elements.encoded()
      self = try Self(encoded: bytes)
      return
    }
    for _ in 0..<(try decoder.mapHeader()) {
      let change = try decoder.place(below: 2, "the change")
      for _ in 0..<(try decoder.arrayHeader()) {
        let start = decoder.offset
        guard !apply(change, to: try Element(from: &decoder)) else { continue }
        throw CodecError(
          .deltaMismatch,
          change == 0 ? "an element to remove is not there" : "an element to insert is there",
          offset: start,
        )
      }
    }
  }

  /// - Returns: False if the change does not fit.
  private mutating func apply(_ change: Int, to element: Element) -> Bool {
    guard change == 0 else { return insert(element).inserted }
    guard let location = tree.location(of: element), location.row.pointee._$isSame(as: element)
    else {
      return false
    }
    _ = tree.remove(at: location.position)
    return true
  }
}
