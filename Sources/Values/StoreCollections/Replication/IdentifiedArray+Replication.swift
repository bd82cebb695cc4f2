public import StoreBytes
public import StoreValues

extension IdentifiedArray: WirePayload, WireValue
where Element: WireValue & Identifiable, ID == Element.ID, ID: WireValue {
  /// Records in order; their id is the field `id`.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    let id = ID.schema(in: &registry)
    return .identified(idField: "id", id: id, element: Element.schema(in: &registry))
  }

  /// Writes the elements in their order.
  @inlinable
  public func encode(to encoder: inout CBOREncoder) {
    checkReplicable()
    encoder.arrayHeader(count)
    tree.forEachRow {
      $0.pointee.encode(to: &encoder)
      encoder.endElement()
    }
  }

  /// Reads elements; throws for a duplicate id.
  ///
  /// Also throws for two ids with different encodings that are equal in Swift, because an array
  /// cannot hold both.
  @inlinable
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    if Element._$isPlain, let plain = try decoder.plain(Self.self) {
      self = plain
      return
    }
    self.init()
    try read(from: &decoder)
  }

  /// The same as for the element type.
  @inlinable
  public static var _$isPlain: Bool { Element._$isPlain }

  /// Reads elements; fails for two equal ids.
  @inlinable
  public init(_$plain reader: inout _$PlainReader) throws(_$NotPlain) {
    guard Element._$isPlain else {
      self = try reader.decoded()
      return
    }
    self.init()
    let count = try reader.array(of: MemoryLayout<Element>.stride)
    var builder = RowTreeBuilder(identity: tree.identity, reserving: count)
    for _ in 0..<count { builder.append(try Element(_$plain: &reader)) }
    reader.leave()
    tree = try builder.finish { (_, _) throws(_$NotPlain) in throw _$NotPlain() }
  }

  /// Reads elements into an empty array.
  @usableFromInline
  mutating func read(from decoder: inout CBORDecoder) throws(CodecError) {
    let start = decoder
    var builder = RowTreeBuilder(identity: tree.identity)
    for index in 0..<(try decoder.arrayHeader()) {
      do throws(CodecError) {
        builder.append(try decoder.value(Element.self))
      } catch {
        throw error.inside(.index(index))
      }
    }
    tree = try builder.finish { (position, id) throws(CodecError) in
      throw CodecError(
        .outOfRange,
        "the id \(id) equals another one",
        offset: try Self.offset(of: position, from: start),
      )
      .inside(.index(position))
    }
  }

  /// The byte offset of an element in an array that was read before.
  private static func offset(
    of position: Int,
    from start: CBORDecoder,
  ) throws(CodecError) -> Int {
    var decoder = start
    _ = try decoder.arrayHeader()
    for _ in 0..<position { _ = try decoder.value(Element.self) }
    return decoder.offset
  }

  /// Compares the elements' encodings.
  public func _$isSame(as other: Self) -> Bool {
    tree.isEquivalent(to: other.tree) { one, another in
      haveSameMemory(one.pointee, another.pointee) || one.pointee._$isSame(as: another.pointee)
    }
  }

  /// The digest of the elements in order.
  ///
  /// The cost is proportional to the changes since the last call.
  public var _$digest: Digest { sequenceDigest }

  /// Traps for a key path other than `\.id`, because such ids cannot be replicated.
  @usableFromInline
  func checkReplicable() {
    guard count > 0 else { return }
    // By pointers: `first` copies the element, which takes longer than the rest of the check.
    let first = tree.location(at: 0).row
    let key = tree.identity.read(first.pointee)
    precondition(
      first.pointee.id._$isSame(as: key),
      "An array that is identified by a key path other than \\.id cannot be replicated: the first "
        + "of \(count) elements has the id \(first.pointee.id) and is found by \(key)",
    )
  }
}

extension IdentifiedArray where Element: WireValue {
  /// The digest of the elements in order, for any key path of their ids.
  package var sequenceDigest: Digest {
    let content = tree.content { $0.pointee._$digest.rawValue }
    return Digest(container: CBOR.array, count: UInt64(count), content: content)
  }
}

extension IdentifiedArray: ReplicatedState
where Element: ReplicatedState & Identifiable, ID == Element.ID, ID: WireValue {
  /// Writes the removals, moves, insertions and inner changes of elements.
  public func encodeDelta(from old: Self, to encoder: inout CBOREncoder) -> Bool {
    guard !tree.isIdentical(to: old.tree) else { return false }
    checkReplicable()
    return IdentifiedDifference(old: old.tree, new: tree).encode(to: &encoder)
  }

  /// Removes, moves, inserts and changes elements.
  public mutating func applyDelta(from decoder: inout CBORDecoder) throws(CodecError) {
    try applyDelta(from: &decoder, TypedRows())
  }
}

extension IdentifiedArray {
  /// Removes, moves, inserts and changes elements, as a coding reads them.
  package mutating func applyDelta<Coding: RowCoding>(
    from decoder: inout CBORDecoder,
    _ coding: Coding,
  ) throws(CodecError) where Coding.ID == ID, Coding.Row == Element {
    var edit = IdentifiedEdit(tree: tree, coding)
    // The only reference to the elements, so they can change in place.
    tree = RowTree(identity: tree.identity)
    try decoder.steps { (decoder) throws(CodecError) in try edit.apply(&decoder) }
    tree = edit.tree
  }
}
