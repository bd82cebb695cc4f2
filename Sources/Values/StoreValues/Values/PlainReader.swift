public import StoreBytes

/// The error for bytes that differ from the expected ones; the decoder then reads them again and
/// reports the fault.
@frozen
public struct _$NotPlain: Error {
  /// Creates an error without details.
  @inlinable
  @inline(__always)
  public init() {}
}

/// Reads the bytes that a type's own `encode(to:)` writes, and fails at the first other byte.
///
/// The same build wrote nearly all bytes. So the reader tracks no place, checks no order and
/// creates no error message: it compares a record's header and names with its own, which are
/// canonical. A `CBORDecoder` reads all other bytes again, be they invalid, of another build or
/// only rare, and decides.
///
/// A reader accepts no bytes that the decoder would reject, never reads past the last byte, and
/// tracks its depth.
@frozen
public struct _$PlainReader: ~Copyable {
  /// The address of the next byte; the bytes are borrowed for the lifetime of the reader.
  @usableFromInline var next: UnsafeRawPointer
  /// The address after the last byte.
  @usableFromInline let end: UnsafeRawPointer
  /// The number of further levels of arrays and maps that may be nested.
  @usableFromInline var levels: Int
  /// The same bytes for values that only a decoder can read.
  @usableFromInline let bytes: ArraySlice<UInt8>
  /// Whether values are read in their durable form.
  public let _$isDurable: Bool
  /// Whether a decoder failed.
  @usableFromInline var isRefused = false

  @inlinable
  @inline(__always)
  init(
    _ bytes: ArraySlice<UInt8>,
    _ memory: UnsafeRawBufferPointer,
    from place: Int,
    levels: Int,
    isDurable: Bool,
  )
    throws(_$NotPlain)
  {
    guard let start = memory.baseAddress else { throw _$NotPlain() }
    next = start + place
    end = start + memory.count
    self.levels = levels
    self.bytes = bytes
    _$isDurable = isDurable
  }

  /// The number of bytes that are left.
  @inlinable
  @inline(__always)
  var left: Int { end - next }

  /// Advances past some bytes and returns their address.
  @inlinable
  @inline(__always)
  mutating func take(_ count: Int) throws(_$NotPlain) -> UnsafeRawPointer {
    guard left >= count else { throw _$NotPlain() }
    defer { next += count }
    return next
  }

  /// Reads one byte.
  @inlinable
  @inline(__always)
  mutating func byte() throws(_$NotPlain) -> UInt8 {
    try take(1).load(as: UInt8.self)
  }

  /// Reads a byte that must equal the given one.
  @inlinable
  @inline(__always)
  mutating func expect(_ byte: UInt8) throws(_$NotPlain) {
    guard try self.byte() == byte else { throw _$NotPlain() }
  }

  /// Whether the next item is of a kind other than a simple one.
  @inlinable
  @inline(__always)
  func isNext(_ major: UInt8) -> Bool {
    left > 0 && next.load(as: UInt8.self) & 0xe0 == major
  }

  /// Reads the next byte if it equals the given one.
  @inlinable
  @inline(__always)
  mutating func skip(_ byte: UInt8) -> Bool {
    guard left > 0, next.load(as: UInt8.self) == byte else { return false }
    next += 1
    return true
  }
}

// MARK: - Records

extension _$PlainReader {
  /// Reads the header of a record or payload of `count` fields.
  @inlinable
  @inline(__always)
  public mutating func record(_ count: Int) throws(_$NotPlain) {
    guard count < 24 else {
      guard try argument(CBOR.map) == UInt64(count) else { throw _$NotPlain() }
      return try enter()
    }
    try expect(CBOR.map | UInt8(truncatingIfNeeded: count))
    try enter()
  }

  /// Leaves a record, payload or array.
  @inlinable
  @inline(__always)
  public mutating func leave() { levels += 1 }

  /// Reads a name if it is the next item: a field's, a label's or a case's.
  @inlinable
  @inline(__always)
  public mutating func finds(_ name: StaticString) -> Bool {
    let count = name.utf8CodeUnitCount
    guard count < 24, name.hasPointerRepresentation else { return finds(longName: name) }
    guard left > count, next.load(as: UInt8.self) == CBOR.text | UInt8(truncatingIfNeeded: count),
      Self.areSame(next + 1, UnsafeRawPointer(name.utf8Start), count)
    else { return false }
    next += 1 + count
    return true
  }

  /// Reads the beginning of a choice and returns whether the case has a payload.
  @inlinable
  @inline(__always)
  public mutating func choice() throws(_$NotPlain) -> Bool {
    guard skip(CBOR.map | 1) else { return false }
    try enter()
    return true
  }

  /// Reads a field.
  @inlinable
  @inline(__always)
  public mutating func field<Part: ReplicatedState>(
    _ name: StaticString
  ) throws(_$NotPlain) -> Part {
    guard finds(name) else { throw _$NotPlain() }
    return try Part(_$plain: &self)
  }

  /// A placeholder for a value that the schema rejects at compile time.
  public mutating func field<Part>(_ name: StaticString) throws(_$NotPlain) -> Part {
    throw _$NotPlain()
  }

  /// Whether the bytes are equal.
  ///
  /// The count is the program's own, and usually a constant.
  @inlinable
  @inline(__always)
  static func areSame(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer, _ count: Int) -> Bool {
    var place = 0
    while count - place >= 8 {
      guard
        one.loadUnaligned(fromByteOffset: place, as: UInt64.self)
          == other.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      else { return false }
      place += 8
    }
    if count - place >= 4 {
      guard
        one.loadUnaligned(fromByteOffset: place, as: UInt32.self)
          == other.loadUnaligned(fromByteOffset: place, as: UInt32.self)
      else { return false }
      place += 4
    }
    while place < count {
      guard
        one.load(fromByteOffset: place, as: UInt8.self)
          == other.load(fromByteOffset: place, as: UInt8.self)
      else { return false }
      place += 1
    }
    return true
  }

  @usableFromInline
  mutating func finds(longName name: StaticString) -> Bool {
    let text: [UInt8] = "\(name)".encoded()
    guard left >= text.count,
      UnsafeRawBufferPointer(start: next, count: text.count).elementsEqual(text)
    else { return false }
    next += text.count
    return true
  }
}

// MARK: - Items

extension _$PlainReader {
  /// Reads the first byte and the argument of an item of the given kind.
  @inlinable
  @inline(__always)
  mutating func argument(_ major: UInt8) throws(_$NotPlain) -> UInt64 {
    let first = try byte() ^ major
    if first < 24 { return UInt64(first) }
    return try longArgument(first)
  }

  /// Reads an argument that does not fit in the first byte.
  @usableFromInline
  mutating func longArgument(_ width: UInt8) throws(_$NotPlain) -> UInt64 {
    let argument: UInt64
    let least: UInt64
    switch width {
    case 24: (argument, least) = (UInt64(try byte()), 24)
    case 25: (argument, least) = (UInt64(try word(UInt16.self)), 0x100)
    case 26: (argument, least) = (UInt64(try word(UInt32.self)), 0x1_0000)
    case 27: (argument, least) = (try word(UInt64.self), 0x1_0000_0000)
    default: throw _$NotPlain()
    }
    guard argument >= least else { throw _$NotPlain() }
    return argument
  }

  private mutating func word<Word: FixedWidthInteger & BitwiseCopyable>(
    _: Word.Type
  ) throws(_$NotPlain) -> Word {
    Word(bigEndian: try take(MemoryLayout<Word>.size).loadUnaligned(as: Word.self))
  }

  /// Reads the content of a text or a byte string.
  @inlinable
  @inline(__always)
  mutating func content(_ major: UInt8) throws(_$NotPlain) -> UnsafeRawBufferPointer {
    let first = try byte() ^ major
    var count = Int(first)
    if first >= 24 {
      // Most longer texts have a length of one byte.
      if first == 24, left > 0, next.load(as: UInt8.self) >= 24 {
        count = Int(try byte())
      } else {
        guard let long = Int(exactly: try longArgument(first)) else { throw _$NotPlain() }
        count = long
      }
    }
    return UnsafeRawBufferPointer(start: try take(count), count: count)
  }

  /// Reads the header of an array and returns the number of items, at most the number of
  /// bytes left.
  @inlinable
  @inline(__always)
  mutating func array() throws(_$NotPlain) -> Int {
    let count = try argument(CBOR.array)
    guard count <= UInt64(left) else { throw _$NotPlain() }
    try enter()
    return Int(truncatingIfNeeded: count)
  }

  /// Reads the header of an array whose memory is allocated at once.
  ///
  /// - Parameter stride: The memory of an element, in bytes.
  /// - Returns: The number of items that follow.
  /// - Throws: If they would take many times more memory than there are bytes.
  @inlinable
  @inline(__always)
  package mutating func array(of stride: Int) throws(_$NotPlain) -> Int {
    let count = try array()
    let (memory, isTooMuch) = count.multipliedReportingOverflow(by: stride)
    guard !isTooMuch, memory <= max(left, 64) * 16 else { throw _$NotPlain() }
    return count
  }

  /// Enters an array or map whose header has just been read.
  @inlinable
  @inline(__always)
  mutating func enter() throws(_$NotPlain) {
    guard levels > 0 else { throw _$NotPlain() }
    levels -= 1
  }

  /// Reads a float of at most the given width: 25, 26 or 27 for half, single and double precision.
  @usableFromInline
  mutating func float(_ widest: UInt8) throws(_$NotPlain) -> Double {
    let width = try byte() ^ CBOR.simple
    guard width <= widest else { throw _$NotPlain() }
    let pattern: UInt64
    switch width {
    case 25: pattern = UInt64(try word(UInt16.self))
    case 26: pattern = UInt64(try word(UInt32.self))
    case 27: pattern = try word(UInt64.self)
    default: throw _$NotPlain()
    }
    let (value, isShortest) = FloatPattern.value(of: pattern, width: width)
    guard isShortest else { throw _$NotPlain() }
    return value
  }

  /// Reads one item by its type's own conformance.
  @usableFromInline
  package mutating func decoded<Value: WirePayload>() throws(_$NotPlain) -> Value {
    var decoder = CBORDecoder(bytes)
    decoder._$isDurable = _$isDurable
    decoder.position = bytes.endIndex - left
    decoder.surrounding = CBOR.maximumDepth - levels
    // The decoder must not try the plain reader again, which would double the work at each level.
    decoder.lastNotPlain = .max
    do throws(CodecError) {
      let value = try Value(from: &decoder)
      try decoder.leaveAll()
      next = end - (bytes.endIndex - decoder.position)
      return value
    } catch {
      isRefused = true
      throw _$NotPlain()
    }
  }
}

// MARK: - Starting

extension CBORDecoder {
  /// Reads one item, quickly if its bytes are those that this build would write.
  ///
  /// - Parameter type: The item's type.
  /// - Returns: The value.
  /// - Throws: The error of `init(from:)`.
  @inlinable
  public mutating func value<Value: WireValue>(
    _ type: Value.Type
  ) throws(CodecError) -> Value {
    if Value._$isPlain, let value = try plain(Value.self) { return value }
    return try Value(from: &self)
  }

  /// Reads one item whose bytes are those that this build would write; otherwise returns nil and
  /// does not move.
  @inlinable
  package mutating func plain<Value: WireValue>(_: Value.Type) throws(CodecError) -> Value? {
    guard position > lastNotPlain, !isInsideTag, !beginsAnew else { return nil }
    var place = position - bytes.startIndex
    var isRefused = false
    let levels = CBOR.maximumDepth - depth
    let value = bytes.withUnsafeBytes { memory -> Value? in
      do throws(_$NotPlain) {
        var reader = try _$PlainReader(
          bytes,
          memory,
          from: place,
          levels: levels,
          isDurable: _$isDurable,
        )
        defer {
          place = memory.count - reader.left
          isRefused = reader.isRefused
        }
        return try Value(_$plain: &reader)
      } catch {
        return nil
      }
    }
    guard let value else {
      lastNotPlain = isRefused ? .max : place + bytes.startIndex
      return nil
    }
    try passItem(endingAt: place + bytes.startIndex)
    return value
  }

  @usableFromInline
  mutating func passItem(endingAt end: Int) throws(CodecError) {
    try beginItem()
    position = end
  }

  /// Leaves all containers, and checks the orders that are not checked yet.
  mutating func leaveAll() throws(CodecError) {
    try leaveFinishedContainers()
    guard !isInsideTag, openContainers == 0 else {
      throw error(.truncated, "an item is not finished")
    }
  }
}
