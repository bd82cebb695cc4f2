/// The data of a leaf besides its rows.
@usableFromInline
struct RowLeafHeader {
  @usableFromInline var count: UInt16 = 0
  @usableFromInline let capacity: UInt16
  /// The rows whose digests `content` lacks, one bit each; all bits until a digest is computed.
  @usableFromInline var pending: UInt32 = .max
  /// The contribution of the other rows to the digest.
  @usableFromInline var content: UInt64 = 0
  /// The rows' type, to destroy them.
  @usableFromInline let type: any Any.Type
  /// Eight bits of the hash of each row's id.
  @usableFromInline var tags: (UInt64, UInt64) = (0, 0)

  @usableFromInline
  init(type: any Any.Type, capacity: Int) {
    self.type = type
    self.capacity = UInt16(capacity)
  }
}

/// The rows at the bottom of a tree, at most 16.
///
/// A shared leaf never changes, so any number of threads may read it. The only owner of a leaf
/// changes it in place.
///
/// The class is not generic, because code that is not specialized for a type of row would request
/// the class from the runtime again and again. So each call passes the type of the rows.
@usableFromInline
final class RowLeaf: ManagedBuffer<RowLeafHeader, UInt64> {
  @usableFromInline
  static func make<Row>(_ type: Row.Type, capacity: Int) -> RowLeaf {
    // Objects are aligned to 16 bytes; rows with a larger alignment begin later.
    let padding = max(0, MemoryLayout<Row>.alignment - 16)
    let bytes = padding + capacity * MemoryLayout<Row>.stride
    let leaf = RowLeaf.create(minimumCapacity: (bytes + 7) / 8) { _ in
      RowLeafHeader(type: type, capacity: capacity)
    }
    return unsafeDowncast(leaf, to: RowLeaf.self)
  }

  deinit {
    destroy(notes.pointee.type)
  }

  private func destroy<Row>(_ type: Row.Type) {
    rows(of: type).deinitialize(count: count)
  }

  /// The header without the runtime's exclusivity checks: a leaf that changes has one owner.
  @inlinable var notes: UnsafeMutablePointer<RowLeafHeader> {
    withUnsafeMutablePointerToHeader { $0 }
  }

  @inlinable var count: Int { Int(notes.pointee.count) }

  /// The capacity in rows.
  @inlinable var room: Int { Int(notes.pointee.capacity) }

  /// The address of the rows if their alignment is at most 16.
  @inlinable var base: UnsafeMutableRawPointer {
    withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
  }

  /// The first row; valid as long as the caller holds the leaf.
  @inlinable
  func rows<Row>(of _: Row.Type) -> UnsafeMutablePointer<Row> {
    let base = MemoryLayout<Row>.alignment <= 16 ? base : base.alignedUp(for: Row.self)
    return base.assumingMemoryBound(to: Row.self)
  }

  /// A copy that is not shared, with a capacity of `capacity` rows.
  @usableFromInline
  func copy<Row>(_ type: Row.Type, capacity: Int) -> RowLeaf {
    let copy = RowLeaf.make(type, capacity: max(capacity, count))
    copy.rows(of: type).initialize(from: rows(of: type), count: count)
    copy.takeNotes(from: self)
    return copy
  }

  /// A leaf with another capacity, to which the rows of this one move.
  func moved<Row>(_ type: Row.Type, capacity: Int) -> RowLeaf {
    let result = RowLeaf.make(type, capacity: max(capacity, count))
    result.rows(of: type).moveInitialize(from: rows(of: type), count: count)
    result.takeNotes(from: self)
    notes.pointee.count = 0
    return result
  }

  private func takeNotes(from other: RowLeaf) {
    notes.pointee.count = other.notes.pointee.count
    notes.pointee.pending = other.notes.pointee.pending
    notes.pointee.content = other.notes.pointee.content
    notes.pointee.tags = other.notes.pointee.tags
  }

  /// Discards the digests after rows were inserted, removed or reordered.
  @inlinable
  func forgetDigests() {
    notes.pointee.pending = .max
    notes.pointee.content = 0
  }

  // MARK: - Rows

  func insert<Row>(_ row: Row, tag: UInt8, at offset: Int) {
    let place = rows(of: Row.self) + offset
    (place + 1).moveInitialize(from: place, count: count - offset)
    place.initialize(to: row)
    for next in stride(from: count, to: offset, by: -1) { tags[next] = tags[next - 1] }
    tags[offset] = tag
    notes.pointee.count += 1
    forgetDigests()
  }

  /// Moves the rows after a place whose row was removed.
  func closeHole<Row>(_: Row.Type, at offset: Int) {
    let place = rows(of: Row.self) + offset
    place.moveInitialize(from: place + 1, count: count - offset - 1)
    notes.pointee.count -= 1
    for next in offset..<count { tags[next] = tags[next + 1] }
    forgetDigests()
  }

  /// Moves rows from the end of the previous leaf, or from the beginning of the next one, to
  /// this leaf.
  func take<Row>(_ number: Int, of type: Row.Type, from other: RowLeaf, isBefore: Bool) {
    let (rows, others, count) = (rows(of: type), other.rows(of: type), count)
    let left = other.count - number
    let (tags, otherTags) = (tags, other.tags)
    if isBefore {
      (rows + number).moveInitialize(from: rows, count: count)
      rows.moveInitialize(from: others + left, count: number)
      (tags + number).update(from: tags, count: count)
      tags.update(from: otherTags + left, count: number)
    } else {
      (rows + count).moveInitialize(from: others, count: number)
      others.moveInitialize(from: others + number, count: left)
      (tags + count).update(from: otherTags, count: number)
      otherTags.update(from: otherTags + number, count: left)
    }
    notes.pointee.count += UInt16(number)
    other.notes.pointee.count -= UInt16(number)
    forgetDigests()
    other.forgetDigests()
  }

  // MARK: - Tags

  /// The tags as separate bytes.
  var tags: UnsafeMutablePointer<UInt8> {
    withUnsafeMutablePointer(to: &notes.pointee.tags) {
      UnsafeMutableRawPointer($0).assumingMemoryBound(to: UInt8.self)
    }
  }

  /// The places of rows whose ids may have a hash with this tag: one bit each.
  @inlinable
  func candidates(tag: UInt8) -> UInt32 {
    let valid = (UInt32(1) << UInt32(count)) - 1
    let (low, high) = notes.pointee.tags
    return (Self.places(of: tag, in: low) | Self.places(of: tag, in: high) << 8) & valid
  }

  /// The places of rows whose ids may have a hash with this tag.
  func places(tag: UInt8) -> [Int] {
    let candidates = candidates(tag: tag)
    return (0..<count).filter { candidates >> UInt32($0) & 1 == 1 }
  }

  /// The places of the bytes of a word that equal a tag: one bit each.
  @inlinable
  static func places(of tag: UInt8, in word: UInt64) -> UInt32 {
    let rest: UInt64 = 0x7f7f_7f7f_7f7f_7f7f
    let difference = UInt64(littleEndian: word) ^ UInt64(tag) &* 0x0101_0101_0101_0101
    // The highest bit of each zero byte, then these bits side by side.
    let zeros = ~(((difference & rest) &+ rest) | difference | rest)
    return UInt32(truncatingIfNeeded: ((zeros >> 7) &* 0x0102_0408_1020_4080) >> 56)
  }
}
