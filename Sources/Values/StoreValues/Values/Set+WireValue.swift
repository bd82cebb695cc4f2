public import StoreBytes

extension Set: WirePayload, WireValue where Element: WireValue {
  /// Elements without order.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    .set(Element.schema(in: &registry))
  }

  /// The same as for the element type.
  public static var equalsItself: Bool { Element.equalsItself }

  /// Writes the elements in the order of their encodings.
  public func encode(to encoder: inout CBOREncoder) {
    var items = SortedItems()
    for element in self { items.add { element.encode(to: &$0) } }
    items.writeSet(to: &encoder)
  }

  /// Reads the elements.
  ///
  /// Throws for two elements with different encodings that are equal in Swift, because a set cannot
  /// hold both.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    self = []
    for _ in 0..<(try decoder.setHeader()) {
      let start = decoder.offset
      guard insert(try Element(from: &decoder)).inserted else {
        throw CodecError(.outOfRange, "the element equals another one", offset: start)
      }
    }
  }

  /// Compares the encodings.
  public func _$isSame(as other: Set<Element>) -> Bool {
    guard !hasTwins, !other.hasTwins else { return encoded() == other.encoded() }
    return count == other.count && allSatisfy { other.place(of: $0) != nil }
  }

  /// The digest of the elements in any order.
  public var _$digest: Digest {
    guard !hasTwins else { return Digest(ofTrusted: encoded()) }
    var digest = SetDigest()
    for element in self { digest.add(element._$digest) }
    return digest.finish()
  }

  /// Whether several elements have the same encoding: a set can hold an element that differs from
  /// itself, like NaN, any number of times.
  fileprivate var hasTwins: Bool {
    guard !Element.equalsItself else { return false }
    return Set<[UInt8]>(map { $0.encoded() }).count < count
  }

  /// The set with one of the elements that share an encoding.
  fileprivate var withoutTwins: Set<Element> {
    guard hasTwins else { return self }
    var seen: Set<[UInt8]> = []
    return filter { seen.insert($0.encoded()).inserted }
  }

  /// The index of the element with the same encoding.
  fileprivate func place(of element: Element) -> Index? {
    if let index = firstIndex(of: element) {
      return self[index]._$isSame(as: element) ? index : nil
    }
    return Element.equalsItself ? nil : firstIndex { $0._$isSame(as: element) }
  }
}

extension Set: ReplicatedState where Element: ReplicatedState {
  /// Writes the removed and the new elements.
  public func encodeDelta(from old: Set<Element>, to encoder: inout CBOREncoder) -> Bool {
    let (new, old) = (withoutTwins, old.withoutTwins)
    var changes = SortedItems()
    for element in old where new.place(of: element) == nil {
      changes.add(to: 0) { element.encode(to: &$0) }
    }
    for element in new where old.place(of: element) == nil {
      changes.add(to: 1) { element.encode(to: &$0) }
    }
    guard encoder.encodeChanges(changes, itemsEach: [1, 1]) else { return false }
    encoder.unshared += new.count * MemoryLayout<Element>.stride
    return true
  }

  /// Removes and inserts elements.
  public mutating func applyDelta(from decoder: inout CBORDecoder) throws(CodecError) {
    self = withoutTwins
    for _ in 0..<(try decoder.mapHeader()) {
      let change = try decoder.place(below: 2, "the change")
      for _ in 0..<(try decoder.arrayHeader()) {
        let start = decoder.offset
        let element = try Element(from: &decoder)
        let place = place(of: element)
        if change == 0, let place {
          remove(at: place)
        } else if change == 1, place == nil, insert(element).inserted {
          continue
        } else {
          throw CodecError(
            .deltaMismatch,
            change == 0 ? "an element to remove is not there" : "an element to insert is there",
            offset: start,
          )
        }
      }
    }
  }
}
