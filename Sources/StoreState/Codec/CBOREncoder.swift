/// Writes CBOR items one after the other, each in its deterministic form.
///
/// Integers, lengths and floats take their shortest form by construction. What the encoder cannot
/// know is up to its caller: as many items after a header as it announced, map keys and elements
/// of a set in bytewise order of their encodings and none twice, and no nesting deeper than 128.
public struct CBOREncoder: Sendable {
  /// The bytes so far.
  public internal(set) var bytes: [UInt8]

  /// Creates an encoder that has written nothing.
  public init() { bytes = [] }

  /// Creates an encoder with room for as many bytes.
  package init(reserving capacity: Int) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  /// Writes an integer of zero or more.
  public mutating func encode(unsigned value: UInt64) { header(CBOR.unsigned, value) }

  /// Writes an integer.
  public mutating func encode(signed value: Int64) {
    if value >= 0 {
      header(CBOR.unsigned, UInt64(value))
    } else {
      header(CBOR.negative, UInt64(bitPattern: ~value))
    }
  }

  /// Writes the integer `-1 - complement`, which may lie below what 64 bits can hold.
  package mutating func encode(negative complement: UInt64) { header(CBOR.negative, complement) }

  /// Writes a float with as few bits as keep its value.
  public mutating func encode(double value: Double) {
    switch FloatPattern(value) {
    case .half(let bits):
      bytes.append(CBOR.half)
      append(bigEndian: bits)
    case .single(let bits):
      bytes.append(CBOR.single)
      append(bigEndian: bits)
    case .double(let bits):
      bytes.append(CBOR.double)
      append(bigEndian: bits)
    }
  }

  /// Writes a float with as few bits as keep its value.
  public mutating func encode(float value: Float) { encode(double: Double(value)) }

  /// Writes false or true.
  public mutating func encode(bool value: Bool) {
    bytes.append(value ? CBOR.true : CBOR.false)
  }

  /// Writes null.
  public mutating func encodeNull() { bytes.append(CBOR.null) }

  /// Writes a text string.
  public mutating func encode(text: String) {
    var text = text
    text.withUTF8 { utf8 in
      header(CBOR.text, UInt64(utf8.count))
      bytes.append(contentsOf: utf8)
    }
  }

  /// Writes a text string that the program's own source holds.
  public mutating func encode(name: StaticString) {
    guard name.hasPointerRepresentation else {
      return encode(text: name.description)
    }
    let utf8 = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    header(CBOR.text, UInt64(utf8.count))
    bytes.append(contentsOf: utf8)
  }

  /// Writes a byte string.
  public mutating func encode(bytes content: some Collection<UInt8>) {
    header(CBOR.bytes, UInt64(content.count))
    bytes.append(contentsOf: content)
  }

  /// Begins an array; `count` items follow.
  public mutating func arrayHeader(_ count: Int) { header(CBOR.array, Self.length(count)) }

  /// Begins a map; `count` pairs of a key and a value follow, in bytewise order of the keys.
  public mutating func mapHeader(_ count: Int) { header(CBOR.map, Self.length(count)) }

  /// Begins a set; `count` items follow, in bytewise order.
  public mutating func setHeader(_ count: Int) {
    header(CBOR.tag, CBOR.setTag)
    header(CBOR.array, Self.length(count))
  }

  /// Writes a tag; its content follows.
  public mutating func tag(_ number: UInt64) { header(CBOR.tag, number) }

  /// Appends an item that is encoded already.
  public mutating func append(raw item: some Collection<UInt8>) {
    bytes.append(contentsOf: item)
  }

  /// Writes an item's first byte and its argument in the shortest form.
  mutating func header(_ major: UInt8, _ argument: UInt64) {
    switch argument {
    case 0...23:
      bytes.append(major | UInt8(argument))
    case 24...0xff:
      bytes.append(major | 24)
      bytes.append(UInt8(argument))
    case 0x100...0xffff:
      bytes.append(major | 25)
      append(bigEndian: UInt16(argument))
    case 0x1_0000...0xffff_ffff:
      bytes.append(major | 26)
      append(bigEndian: UInt32(argument))
    default:
      bytes.append(major | 27)
      append(bigEndian: argument)
    }
  }

  private mutating func append(bigEndian value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }

  private static func length(_ count: Int) -> UInt64 {
    precondition(count >= 0, "A container cannot hold \(count) items.")
    return UInt64(count)
  }
}
