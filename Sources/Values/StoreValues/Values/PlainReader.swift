public import StoreBytes

/// That bytes are not what was expected; the decoder that reads them again says what they are.
@frozen
public struct _$NotPlain: Error {
  /// Creates an error that says nothing.
  @inlinable
  @inline(__always)
  public init() {}
}

/// Reads the bytes that a type's own `encode(to:)` writes, and gives up at the first other one.
///
/// Nearly all that is read was written by the same build. So there is no place to keep in mind, no
/// order to check and no error to make: a record's header and names are compared with those that
/// it writes itself, which makes them canonical. Whatever differs, be it wrong, from another build
/// or only rare, is read once more by a `CBORDecoder`, which has the last word.
///
/// A reader accepts nothing that the decoder would refuse, never reads behind the last byte, and
/// knows how deep it is.
@frozen
public struct _$PlainReader: ~Copyable {
  /// The next byte; the bytes are borrowed for as long as the reader lives.
  @usableFromInline var next: UnsafeRawPointer
  /// Behind the last byte.
  @usableFromInline let end: UnsafeRawPointer
  /// How many arrays and maps may still be nested in what is read.
  @usableFromInline var levels: Int
  /// The same bytes for what only a decoder can read.
  @usableFromInline let bytes: ArraySlice<UInt8>
  /// Whether values are read in their durable form.
  public let _$isDurable: Bool
  /// Whether it was a decoder that gave up.
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

  /// How many bytes are left.
  @inlinable
  @inline(__always)
  var left: Int { end - next }

  /// Passes by some bytes.
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

  /// Reads a byte that must be this one.
  @inlinable
  @inline(__always)
  mutating func expect(_ byte: UInt8) throws(_$NotPlain) {
    guard try self.byte() == byte else { throw _$NotPlain() }
  }

  /// Whether an item of a kind, other than a simple one, stands next.
  @inlinable
  @inline(__always)
  func isNext(_ major: UInt8) -> Bool {
    left > 0 && next.load(as: UInt8.self) & 0xe0 == major
  }

  /// Reads one byte when it is this one.
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
  /// Reads the beginning of a record or payload of so many fields.
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

  /// Reads a name when it stands next: a field's, a label's or a case's.
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

  /// Reads the beginning of a choice: whether the case has a payload.
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

  /// Stands for a value that the schema has refused at compile time.
  public mutating func field<Part>(_ name: StaticString) throws(_$NotPlain) -> Part {
    throw _$NotPlain()
  }

  /// The same bytes: the count is the program's own, and mostly known when this is compiled.
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
  /// Reads the first byte and the argument of an item that is of a kind.
  @inlinable
  @inline(__always)
  mutating func argument(_ major: UInt8) throws(_$NotPlain) -> UInt64 {
    let first = try byte() ^ major
    if first < 24 { return UInt64(first) }
    return try longArgument(first)
  }

  /// Reads an argument that does not fit into the first byte.
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

  /// Reads a text's or a byte string's content.
  @inlinable
  @inline(__always)
  mutating func content(_ major: UInt8) throws(_$NotPlain) -> UnsafeRawBufferPointer {
    let first = try byte() ^ major
    var count = Int(first)
    if first >= 24 {
      // Most texts that are longer have a length of one byte.
      if first == 24, left > 0, next.load(as: UInt8.self) >= 24 {
        count = Int(try byte())
      } else {
        guard let long = Int(exactly: try longArgument(first)) else { throw _$NotPlain() }
        count = long
      }
    }
    return UnsafeRawBufferPointer(start: try take(count), count: count)
  }

  /// Reads the beginning of an array: how many items follow, never more than there are bytes.
  @inlinable
  @inline(__always)
  mutating func array() throws(_$NotPlain) -> Int {
    let count = try argument(CBOR.array)
    guard count <= UInt64(left) else { throw _$NotPlain() }
    try enter()
    return Int(truncatingIfNeeded: count)
  }

  /// Reads the beginning of an array for which room is made at once.
  ///
  /// - Parameter stride: How much memory an element takes.
  /// - Returns: How many items follow.
  /// - Throws: When they would take many times more memory than there are bytes.
  @inlinable
  @inline(__always)
  package mutating func array(of stride: Int) throws(_$NotPlain) -> Int {
    let count = try array()
    let (memory, isTooMuch) = count.multipliedReportingOverflow(by: stride)
    guard !isTooMuch, memory <= max(left, 64) * 16 else { throw _$NotPlain() }
    return count
  }

  /// Enters an array or map of which the header has just been read.
  @inlinable
  @inline(__always)
  mutating func enter() throws(_$NotPlain) {
    guard levels > 0 else { throw _$NotPlain() }
    levels -= 1
  }

  /// Reads a float that has been written with at most so many bits: 25, 26 or 27 for half, single
  /// and double precision.
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
    // What it cannot read it must not try in two ways, which would double with each level.
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
  /// Reads one item: at once when its bytes are those that this build would write.
  ///
  /// - Parameter type: The item's type.
  /// - Returns: The value.
  /// - Throws: What `init(from:)` throws.
  @inlinable
  public mutating func value<Value: WireValue>(
    _ type: Value.Type
  ) throws(CodecError) -> Value {
    if Value._$isPlain, let value = try plain(Value.self) { return value }
    return try Value(from: &self)
  }

  /// Reads one item whose bytes are those that this build would write; else nil, and the decoder
  /// stays where it is.
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

  /// Leaves all containers, which checks what order is left to check.
  mutating func leaveAll() throws(CodecError) {
    try leaveFinishedContainers()
    guard !isInsideTag, openContainers == 0 else {
      throw error(.truncated, "an item is not finished")
    }
  }
}
