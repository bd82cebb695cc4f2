/// Bytes that are written one behind the other, in memory that nobody shares.
///
/// An array looks before each write whether somebody shares its memory, and appends a few bytes in
/// a general way. What encoders write are few bytes at a time, many times: so this takes a third of
/// the instructions. Whoever keeps the bytes gets an array of them, which is a copy.
@usableFromInline
struct ByteBuffer: ~Copyable, @unchecked Sendable {
  /// Nil before anything was written.
  @usableFromInline private(set) var start: UnsafeMutablePointer<UInt8>?
  @usableFromInline private(set) var count = 0
  @usableFromInline private(set) var capacity = 0

  /// No bytes, and no memory.
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

  /// Writes bytes that are somewhere else in memory.
  @inlinable
  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let first = bytes.baseAddress else { return }
    append(first, count: bytes.count)
  }

  /// Writes the lowest bytes of a number behind a byte, the most significant one first.
  @inlinable
  mutating func append<Number: FixedWidthInteger>(_ first: UInt8, _ number: Number) {
    let size = MemoryLayout<Number>.size
    let room = room(for: 1 + size)
    room.initialize(to: first)
    UnsafeMutableRawPointer(room + 1).storeBytes(of: number.bigEndian, as: Number.self)
    count += 1 + size
  }

  /// Where the next bytes go, of which there is room for so many.
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
    // Room was made for at least one byte.
    return start.unsafelyUnwrapped + count
  }

  /// Makes room for so many bytes in all.
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

  /// Takes back all bytes but the first ones.
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

  /// Puts bytes between those that were written.
  mutating func insert(_ bytes: UnsafeBufferPointer<UInt8>, at place: Int) {
    guard let first = bytes.baseAddress, place <= count else { return }
    _ = room(for: bytes.count)
    let gap = start.unsafelyUnwrapped + place
    (gap + bytes.count).update(from: gap, count: count - place)
    gap.update(from: first, count: bytes.count)
    count += bytes.count
  }

  /// What was written, as long as nothing further is.
  @inlinable
  func withBytes<Result, Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeBufferPointer(start: start, count: count))
  }
}
