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

  /// Reads elements, and refuses an id that occurs twice.
  ///
  /// Two ids that differ in their encodings but are equal in Swift cannot both be held, and are
  /// refused too.
  @inlinable
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    if Element._$isPlain, let plain = try decoder.plain(Self.self) {
      self = plain
      return
    }
    self.init()
    try read(from: &decoder)
  }

  /// What the elements say.
  @inlinable
  public static var _$isPlain: Bool { Element._$isPlain }

  /// Reads elements of which no two have equal ids.
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

  /// Where an element begins in an array that was read already.
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
  /// It takes as long as the changes since it was asked for last.
  public var _$digest: Digest { sequenceDigest }

  /// An array that was made with another key path than `\.id` has no place for its ids on the wire.
  @usableFromInline
  func checkReplicable() {
    guard let first else { return }
    let key = tree.identity.read(first)
    precondition(
      first.id._$isSame(as: key),
      "An array that is identified by a key path other than \\.id cannot be replicated: "
        + "the first of \(count) elements has the id \(first.id) and is found by \(key)",
    )
  }
}

extension IdentifiedArray where Element: WireValue {
  /// The digest of the elements in order, wherever they have their ids.
  package var sequenceDigest: Digest {
    let content = tree.content { $0.pointee._$digest.rawValue }
    return Digest(container: CBOR.array, count: UInt64(count), content: content)
  }
}

extension IdentifiedArray: ReplicatedState
where Element: ReplicatedState & Identifiable, ID == Element.ID, ID: WireValue {
  /// Writes which elements went, moved, came, and changed inside.
  public func encodeDelta(from old: Self, to encoder: inout CBOREncoder) -> Bool {
    guard !tree.isIdentical(to: old.tree) else { return false }
    checkReplicable()
    return IdentifiedDifference(old: old.tree, new: tree).encode(to: &encoder)
  }

  /// Lets elements go, move, come, and change inside.
  public mutating func applyDelta(from decoder: inout CBORDecoder) throws(CodecError) {
    try applyDelta(from: &decoder, TypedRows())
  }
}

extension IdentifiedArray {
  /// Lets elements go, move, come, and change inside, as a coding reads them.
  package mutating func applyDelta<Coding: RowCoding>(
    from decoder: inout CBORDecoder,
    _ coding: Coding,
  ) throws(CodecError) where Coding.ID == ID, Coding.Row == Element {
    var edit = IdentifiedEdit(tree: tree, coding)
    // The only reference to the elements, so that they can change in place.
    tree = RowTree(identity: tree.identity)
    try decoder.steps { (decoder) throws(CodecError) in try edit.apply(&decoder) }
    tree = edit.tree
  }
}
