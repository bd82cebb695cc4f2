/// Writes CBOR items in order, each in its deterministic form.
///
/// Integers, lengths and floats take their shortest form by construction. The caller ensures the
/// rest: the announced number of items after a header, map keys and elements of a set in bytewise
/// order of their encodings without duplicates, and at most 128 levels of nesting.
///
/// An encoder has its own memory and cannot be copied; ``bytes`` is a copy of its output.
public struct CBOREncoder: ~Copyable, Sendable {
  @usableFromInline var buffer = ByteBuffer()

  /// Whether values are written in their durable form, which has parts that are never sent.
  ///
  /// This is a flag rather than a second set of requirements, so optionals, arrays and other
  /// containers of values need no code for it.
  public var _$isDurable = false

  /// Bytes that the new value of a delta does not share with the old one although the delta omits
  /// them: those of a spliced text, or of an array in which one element changes.
  ///
  /// An owner of both values keeps these bytes in memory. The count is an estimate: it does not
  /// decrease when bytes are removed, and of elements it counts their size in the array, without
  /// the memory that they refer to.
  @usableFromInline package var unshared = 0

  /// The full pieces of an encoder of pieces.
  @usableFromInline var full: [[UInt8]] = []
  /// The size of a piece in bytes.
  @usableFromInline var pieceBytes = Int.max

  /// A copy of the bytes so far; for an encoder of pieces, those of the last piece.
  @inlinable public var bytes: [UInt8] { buffer.withBytes { Array($0) } }

  /// The number of bytes so far; for an encoder of pieces, those of the last piece.
  @inlinable public var count: Int { buffer.count }

  /// Creates an empty encoder.
  @inlinable
  public init() {}

  /// Ends the current piece if it is full.
  ///
  /// Call this between the elements of a collection.
  @inlinable
  @inline(__always)
  package mutating func endElement() { if count >= pieceBytes { endPiece() } }

  /// Creates an encoder with a capacity of `capacity` bytes.
  package init(reserving capacity: Int) {
    buffer.reserve(capacity)
  }

  /// Creates an empty encoder of durable forms.
  package static var durable: CBOREncoder {
    var encoder = CBOREncoder()
    encoder._$isDurable = true
    return encoder
  }

  /// Creates an empty encoder of the same form.
  package func ofSameForm() -> CBOREncoder { _$isDurable ? .durable : CBOREncoder() }

  /// Writes an integer of zero or more.
  @inlinable
  public mutating func encode(unsigned value: UInt64) { header(CBOR.unsigned, value) }

  /// Writes an integer.
  @inlinable
  public mutating func encode(signed value: Int64) {
    if value >= 0 {
      header(CBOR.unsigned, UInt64(value))
    } else {
      header(CBOR.negative, UInt64(bitPattern: ~value))
    }
  }

  /// Writes the integer `-1 - complement`, which may lie below the range of `Int64`.
  package mutating func encode(negative complement: UInt64) { header(CBOR.negative, complement) }

  /// Writes a float with the fewest bits that keep its value.
  public mutating func encode(double value: Double) {
    switch FloatPattern(value) {
    case .half(let bits): buffer.append(CBOR.half, bits)
    case .single(let bits): buffer.append(CBOR.single, bits)
    case .double(let bits): buffer.append(CBOR.double, bits)
    }
  }

  /// Writes a float with the fewest bits that keep its value.
  public mutating func encode(float value: Float) { encode(double: Double(value)) }

  /// Writes false or true.
  @inlinable
  public mutating func encode(bool value: Bool) {
    buffer.append(value ? CBOR.true : CBOR.false)
  }

  /// Writes null.
  @inlinable
  public mutating func encodeNull() { buffer.append(CBOR.null) }

  /// Writes a text string.
  @inlinable
  public mutating func encode(text: String) {
    let isWritten: Void? = text.utf8.withContiguousStorageIfAvailable { write(text: $0) }
    if isWritten == nil { encode(foreignText: text) }
  }

  /// Writes a text string whose storage is not contiguous UTF-8.
  @usableFromInline
  mutating func encode(foreignText text: String) {
    var text = text
    text.withUTF8 { write(text: $0) }
  }

  @inlinable
  mutating func write(text utf8: UnsafeBufferPointer<UInt8>) {
    header(CBOR.text, UInt64(utf8.count))
    buffer.append(utf8)
  }

  /// Writes a text string that is a literal of the program.
  @inlinable
  public mutating func encode(name: StaticString) {
    let count = name.utf8CodeUnitCount
    guard count < 24, name.hasPointerRepresentation else { return encode(longName: name) }
    buffer.append(CBOR.text | UInt8(truncatingIfNeeded: count))
    buffer.append(name.utf8Start, count: count)
  }

  @usableFromInline
  mutating func encode(longName name: StaticString) {
    encode(text: name.description)
  }

  /// Writes a byte string.
  @inlinable
  public mutating func encode(bytes content: some Collection<UInt8>) {
    header(CBOR.bytes, UInt64(content.count))
    append(raw: content)
  }

  /// Begins an array; `count` items follow.
  @inlinable
  public mutating func arrayHeader(_ count: Int) { header(CBOR.array, Self.length(count)) }

  /// Begins a map; `count` pairs of a key and a value follow, in bytewise order of the keys.
  @inlinable
  public mutating func mapHeader(_ count: Int) { header(CBOR.map, Self.length(count)) }

  /// Begins a set; `count` items follow, in bytewise order.
  public mutating func setHeader(_ count: Int) {
    header(CBOR.tag, CBOR.setTag)
    header(CBOR.array, Self.length(count))
  }

  /// Writes a tag; its content follows.
  public mutating func tag(_ number: UInt64) { header(CBOR.tag, number) }

  /// Appends an encoded item.
  @inlinable
  public mutating func append(raw item: some Collection<UInt8>) {
    let isWritten: Void? = item.withContiguousStorageIfAvailable { buffer.append($0) }
    guard isWritten == nil else { return }
    for byte in item { buffer.append(byte) }
  }

  /// Appends the bytes of another encoder.
  package mutating func append(_ other: borrowing CBOREncoder) {
    other.buffer.withBytes { buffer.append($0) }
  }

  /// Whether another encoder has written the same bytes.
  package func hasSameBytes(as other: borrowing CBOREncoder) -> Bool {
    buffer.withBytes { bytes in other.buffer.withBytes { memoryIsEqual(bytes, $0) } }
  }

  /// Passes the bytes so far to `body`.
  package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    buffer.withBytes(body)
  }

  /// Writes an item's first byte and its argument in the shortest form.
  @inlinable
  @inline(__always)
  mutating func header(_ major: UInt8, _ argument: UInt64) {
    // Most arguments are small and fit in the first byte.
    guard argument < 24 else { return longHeader(major, argument) }
    buffer.append(major | UInt8(truncatingIfNeeded: argument))
  }

  @usableFromInline
  mutating func longHeader(_ major: UInt8, _ argument: UInt64) {
    switch argument {
    case 0...0xff: buffer.append(major | 24, UInt8(truncatingIfNeeded: argument))
    case 0x100...0xffff: buffer.append(major | 25, UInt16(truncatingIfNeeded: argument))
    case 0x1_0000...0xffff_ffff: buffer.append(major | 26, UInt32(truncatingIfNeeded: argument))
    default: buffer.append(major | 27, argument)
    }
  }

  /// Writes a byte string of 16 bytes: two numbers, the most significant byte of each first.
  package mutating func encode(bytes first: UInt64, _ second: UInt64) {
    buffer.append(CBOR.bytes | 16, first)
    withUnsafeBytes(of: second.bigEndian) { buffer.append($0.assumingMemoryBound(to: UInt8.self)) }
  }

  @inlinable
  static func length(_ count: Int) -> UInt64 {
    precondition(count >= 0, "A container cannot hold \(count) items.")
    return UInt64(count)
  }
}
