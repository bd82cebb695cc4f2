/// What a leaf knows beside its rows.
@usableFromInline
struct RowLeafHeader {
  @usableFromInline var count: UInt16 = 0
  @usableFromInline let capacity: UInt16
  /// The rows whose digests `content` lacks, one bit each; all bits until a digest was known.
  @usableFromInline var pending: UInt32 = .max
  /// What the other rows contribute to the digest.
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
/// A leaf to which more than one reference exists never changes, so any number of threads may read
/// it. Its only owner changes it in place.
///
/// The class is not generic, because code that is not specialised for a type of row would ask the
/// runtime for the class again and again; so it is told the type of its rows with each call.
@usableFromInline
final class RowLeaf: ManagedBuffer<RowLeafHeader, UInt64> {
  @usableFromInline
  static func make<Row>(_ type: Row.Type, capacity: Int) -> RowLeaf {
    // Objects begin at multiples of 16; rows that need more begin later.
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

  /// The header without the runtime's checks for exclusive access: a leaf that changes has one
  /// owner.
  @inlinable var notes: UnsafeMutablePointer<RowLeafHeader> {
    withUnsafeMutablePointerToHeader { $0 }
  }

  @inlinable var count: Int { Int(notes.pointee.count) }

  /// How many rows fit in.
  @inlinable var room: Int { Int(notes.pointee.capacity) }

  /// Where the rows begin whose alignment is at most 16.
  @inlinable var base: UnsafeMutableRawPointer {
    withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
  }

  /// The first row; good for as long as somebody holds the leaf.
  @inlinable
  func rows<Row>(of _: Row.Type) -> UnsafeMutablePointer<Row> {
    let base = MemoryLayout<Row>.alignment <= 16 ? base : base.alignedUp(for: Row.self)
    return base.assumingMemoryBound(to: Row.self)
  }

  /// A copy of its own, with room for `capacity` rows.
  @usableFromInline
  func copy<Row>(_ type: Row.Type, capacity: Int) -> RowLeaf {
    let copy = RowLeaf.make(type, capacity: max(capacity, count))
    copy.rows(of: type).initialize(from: rows(of: type), count: count)
    copy.takeNotes(from: self)
    return copy
  }

  /// A leaf with other room, which takes the rows of this one away.
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

  /// Says that rows came, went or changed their places.
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

  /// Moves the rows behind a place from which the row was taken.
  func closeHole<Row>(_: Row.Type, at offset: Int) {
    let place = rows(of: Row.self) + offset
    place.moveInitialize(from: place + 1, count: count - offset - 1)
    notes.pointee.count -= 1
    for next in offset..<count { tags[next] = tags[next + 1] }
    forgetDigests()
  }

  /// Takes rows from the end of the leaf before, or from the beginning of the one behind.
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

  /// The tags one by one.
  var tags: UnsafeMutablePointer<UInt8> {
    withUnsafeMutablePointer(to: &notes.pointee.tags) {
      UnsafeMutableRawPointer($0).assumingMemoryBound(to: UInt8.self)
    }
  }

  /// The places of rows whose ids may have a hash: one bit each.
  @inlinable
  func candidates(tag: UInt8) -> UInt32 {
    let valid = (UInt32(1) << UInt32(count)) - 1
    let (low, high) = notes.pointee.tags
    return (Self.places(of: tag, in: low) | Self.places(of: tag, in: high) << 8) & valid
  }

  /// The places of rows whose ids may have a hash.
  func places(tag: UInt8) -> [Int] {
    let candidates = candidates(tag: tag)
    return (0..<count).filter { candidates >> UInt32($0) & 1 == 1 }
  }

  /// The places of the bytes of a word that equal a tag: one bit each.
  @inlinable
  static func places(of tag: UInt8, in word: UInt64) -> UInt32 {
    let rest: UInt64 = 0x7f7f_7f7f_7f7f_7f7f
    let difference = UInt64(littleEndian: word) ^ UInt64(tag) &* 0x0101_0101_0101_0101
    // The highest bit of each byte that is zero, and then these bits side by side.
    let zeros = ~(((difference & rest) &+ rest) | difference | rest)
    return UInt32(truncatingIfNeeded: ((zeros >> 7) &* 0x0102_0408_1020_4080) >> 56)
  }
}
