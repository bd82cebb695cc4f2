/// Bytes that are written in order, in memory that is not shared.
///
/// An array checks before each write whether its memory is shared, and appends a few bytes in a
/// general way. Encoders write a few bytes at a time, many times: this type takes a third of the
/// instructions. A caller that keeps the bytes gets a copy of them as an array.
@usableFromInline
struct ByteBuffer: ~Copyable, @unchecked Sendable {
  /// Nil before the first write.
  @usableFromInline private(set) var start: UnsafeMutablePointer<UInt8>?
  @usableFromInline private(set) var count = 0
  @usableFromInline private(set) var capacity = 0

  /// Creates an empty buffer without memory.
  @inlinable
  init() {}

  @inlinable
  deinit { start?.deallocate() }

  /// Writes a byte.
  @inlinable
  @inline(__always)
  mutating func append(_ byte: UInt8) {
    room(for: 1).initialize(to: byte)
    count += 1
  }

  /// Writes some bytes.
  @inlinable
  @inline(__always)
  mutating func append(_ bytes: UnsafePointer<UInt8>, count added: Int) {
    room(for: added).initialize(from: bytes, count: added)
    count += added
  }

  /// Writes bytes from elsewhere in memory.
  @inlinable
  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let first = bytes.baseAddress else { return }
    append(first, count: bytes.count)
  }

  /// Writes a byte, then the lowest bytes of a number, the most significant one first.
  @inlinable
  mutating func append<Number: FixedWidthInteger>(_ first: UInt8, _ number: Number) {
    let size = MemoryLayout<Number>.size
    let room = room(for: 1 + size)
    room.initialize(to: first)
    UnsafeMutableRawPointer(room + 1).storeBytes(of: number.bigEndian, as: Number.self)
    count += 1 + size
  }

  /// The address of the next bytes to write, with room for `added` bytes.
  @inlinable
  @inline(__always)
  mutating func room(for added: Int) -> UnsafeMutablePointer<UInt8> {
    if let start, capacity - count >= added { return start + count }
    return grow(for: added)
  }

  @inlinable
  @inline(never)
  mutating func grow(for added: Int) -> UnsafeMutablePointer<UInt8> {
    reserve(max(64, 2 * capacity, count + added))
    // The capacity covers at least one byte.
    return start.unsafelyUnwrapped + count
  }

  /// Reserves a capacity of `wanted` bytes in total.
  @usableFromInline
  mutating func reserve(_ wanted: Int) {
    guard wanted > capacity else { return }
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: wanted)
    if let start {
      memory.moveInitialize(from: start, count: count)
      start.deallocate()
    }
    start = memory
    capacity = wanted
  }

  /// Removes all bytes after the first `kept` ones.
  @inlinable
  mutating func removeAll(behind kept: Int) {
    precondition(kept <= count, "The place at byte \(kept) is behind the last of \(count) bytes.")
    count = kept
  }

  /// A byte that was written.
  @inlinable
  subscript(place: Int) -> UInt8 {
    get {
      precondition(place < count, "Byte \(place) is behind the last of \(count) bytes.")
      return start.unsafelyUnwrapped[place]
    }
    set {
      precondition(place < count, "Byte \(place) is behind the last of \(count) bytes.")
      start.unsafelyUnwrapped[place] = newValue
    }
  }

  /// Inserts bytes at a place among those that were written.
  mutating func insert(_ bytes: UnsafeBufferPointer<UInt8>, at place: Int) {
    guard let first = bytes.baseAddress, place <= count else { return }
    _ = room(for: bytes.count)
    let gap = start.unsafelyUnwrapped + place
    (gap + bytes.count).update(from: gap, count: count - place)
    gap.update(from: first, count: bytes.count)
    count += bytes.count
  }

  /// The written bytes; the pointer is valid until the next write.
  @inlinable
  func withBytes<Result, Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeBufferPointer(start: start, count: count))
  }
}
