public import StoreBytes

extension Array: WirePayload, WireValue where Element: WireValue {
  /// Elements in order.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    .array(Element.schema(in: &registry))
  }

  /// The same as for the element type.
  public static var equalsItself: Bool { Element.equalsItself }

  /// Writes the elements.
  @inlinable
  public func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count)
    // By address, which does not copy the elements.
    withUnsafeBufferPointer { elements in
      guard let first = elements.baseAddress else { return }
      for place in 0..<elements.count {
        (first + place).pointee.encode(to: &encoder)
        encoder.endElement()
      }
    }
  }

  /// Reads the elements.
  @inlinable
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    if Element._$isPlain, let plain = try decoder.plain([Element].self) {
      self = plain
      return
    }
    self = []
    try appendElements(from: &decoder, count: try decoder.arrayHeader(), firstIndex: 0)
  }

  /// Compares the elements' encodings.
  public func _$isSame(as other: [Element]) -> Bool {
    guard count == other.count else { return false }
    guard !hasSameStorage(as: other) else { return true }
    for (one, other) in zip(self, other) where !one._$isSame(as: other) { return false }
    return true
  }

  /// The digest of the elements in order.
  public var _$digest: Digest {
    var digest = SequenceDigest()
    for element in self { digest.append(element._$digest) }
    return digest.finish()
  }

  /// Whether both share their memory; then the elements need no comparison.
  fileprivate func hasSameStorage(as other: [Element]) -> Bool {
    withUnsafeBufferPointer { mine in
      other.withUnsafeBufferPointer { $0.baseAddress == mine.baseAddress && $0.count == mine.count }
    }
  }

  /// Reads elements.
  ///
  /// The reserved memory is limited, because the count is foreign.
  @inlinable
  mutating func appendElements(
    from decoder: inout CBORDecoder,
    count: Int,
    firstIndex: Int,
  ) throws(CodecError) {
    reserveCapacity(self.count + Swift.min(count, 1_024))
    for index in 0..<count {
      do throws(CodecError) {
        append(try decoder.value(Element.self))
      } catch {
        throw error.inside(.index(firstIndex + index))
      }
    }
  }
}

extension Array: ReplicatedState where Element: ReplicatedState {
  /// Writes the change inside of one element, or one run of elements that replaces another.
  public func encodeDelta(from old: [Element], to encoder: inout CBOREncoder) -> Bool {
    guard !hasSameStorage(as: old) else { return false }
    let shared = Swift.min(count, old.count)
    var prefix = 0
    while prefix < shared, encoder.areSame(self[prefix], old[prefix]) { prefix += 1 }
    if prefix == count, prefix == old.count { return false }
    var suffix = 0
    while suffix < shared - prefix,
      encoder.areSame(self[count - 1 - suffix], old[old.count - 1 - suffix])
    {
      suffix += 1
    }
    encoder.unshared += (prefix + suffix) * MemoryLayout<Element>.stride
    if count == old.count, prefix + suffix == count - 1 {
      encoder.arrayHeader(2)
      encoder.encode(unsigned: UInt64(prefix))
      let isChanged = self[prefix].encodeDelta(from: old[prefix], to: &encoder)
      precondition(isChanged, "Element \(prefix) is not the same, yet it has no delta.")
    } else {
      encoder.arrayHeader(3)
      encoder.encode(unsigned: UInt64(prefix))
      encoder.encode(unsigned: UInt64(old.count - prefix - suffix))
      encoder.arrayHeader(count - prefix - suffix)
      for index in prefix..<(count - suffix) { self[index].encode(to: &encoder) }
    }
    return true
  }

  /// Changes one element inside, or replaces one run of elements by another.
  public mutating func applyDelta(from decoder: inout CBORDecoder) throws(CodecError) {
    try decoder.edits { (decoder, items) throws(CodecError) in
      try applyEdit(items: items, from: &decoder)
    }
  }

  private mutating func applyEdit(
    items: Int,
    from decoder: inout CBORDecoder,
  ) throws(CodecError) {
    switch items {
    case 2:
      let index = try decoder.place(below: count, "element")
      do throws(CodecError) {
        try self[index].applyDelta(from: &decoder)
      } catch {
        throw error.inside(.index(index))
      }
    case 3:
      let start = try decoder.place(below: count + 1, "the place")
      let removed = try decoder.place(below: count - start + 1, "the number of elements")
      var inserted: [Element] = []
      try inserted.appendElements(
        from: &decoder,
        count: try decoder.arrayHeader(),
        firstIndex: start,
      )
      replaceSubrange(start..<(start + removed), with: inserted)
    case let other:
      throw decoder.error(
        .deltaMismatch,
        "expected the delta of an array as an array of 2 or 3, found an array of \(other)",
      )
    }
  }
}
