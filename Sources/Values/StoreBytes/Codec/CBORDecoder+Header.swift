extension CBORDecoder {
  /// The kind of the next item; the decoder does not move.
  public func peekKind() throws(CodecError) -> CBORKind {
    guard position < bytes.endIndex else {
      throw error(.truncated, "the bytes end where an item was expected")
    }
    let first = bytes[position]
    switch first >> 5 {
    case 0: return .unsigned
    case 1: return .negative
    case 2: return .bytes
    case 3: return .text
    case 4: return .array
    case 5: return .map
    case 6: return .tag
    default: return try kindOfSimpleItem(first)
    }
  }

  private func kindOfSimpleItem(_ first: UInt8) throws(CodecError) -> CBORKind {
    switch first {
    case CBOR.false, CBOR.true: return .bool
    case CBOR.null: return .null
    case CBOR.half, CBOR.single, CBOR.double: return .float
    default:
      throw error(
        .unsupported,
        "the byte \(hex(first)) begins no item that is allowed here: of simple values only "
          + "false, true and null are, and no indefinite lengths",
      )
    }
  }

  /// Reads the first byte and the argument of an item of a kind, other than a simple one.
  ///
  /// - Returns: The integer, length, count or tag.
  @inline(__always)
  mutating func argument(_ expected: StaticString, _ kind: CBORKind) throws(CodecError) -> UInt64 {
    let start = position
    guard start < bytes.endIndex, bytes[start] >> 5 == kind.major else {
      throw mismatch(expected)
    }
    let width = bytes[start] & 0x1f
    // Most arguments are small and fit in the first byte.
    guard width >= 24 else {
      position = start + 1
      return UInt64(width)
    }
    return try longArgument(width)
  }

  /// The error for a next item that is not of the expected kind.
  @inline(never)
  func mismatch(_ expected: StaticString) -> CodecError {
    do throws(CodecError) {
      _ = try peekKind()
    } catch {
      return error
    }
    return error(.typeMismatch, "expected \(expected), found \(foundText())")
  }

  /// Reads an argument that follows the item's first byte, on which the decoder stands.
  @inline(never)
  private mutating func longArgument(_ width: UInt8) throws(CodecError) -> UInt64 {
    let start = position
    let argument = try bits(width)
    let least: UInt64 = width == 24 ? 24 : 1 << (8 << UInt64(width - 25))
    guard argument >= least else {
      throw CodecError(
        .notCanonical,
        "\(argument) is not written in its shortest form",
        offset: start - bytes.startIndex,
      )
    }
    return argument
  }

  /// Reads a float's first byte and its pattern.
  mutating func floatHeader() throws(CodecError) -> (pattern: UInt64, width: UInt8) {
    guard position < bytes.endIndex, (CBOR.half...CBOR.double).contains(bytes[position]) else {
      throw mismatch("a float")
    }
    let width = bytes[position] & 0x1f
    return (try bits(width), width)
  }

  /// Reads an item's first byte, whose low bits are `width`, and the number after it.
  @inline(__always)
  private mutating func bits(_ width: UInt8) throws(CodecError) -> UInt64 {
    guard width <= 27 else {
      throw error(
        .unsupported,
        width == 31
          ? "indefinite lengths are not allowed; write the length first"
          : "the byte \(hex(bytes[position])) begins no item",
      )
    }
    let count = 1 << Int(width - 24)
    guard bytes.endIndex - position > count else {
      throw CodecError(
        .truncated,
        "the bytes end inside the item's first \(count + 1) bytes",
        offset: bytes.count,
      )
    }
    defer { position += 1 + count }
    switch count {
    case 1: return number(UInt8.self, at: position + 1)
    case 2: return number(UInt16.self, at: position + 1)
    case 4: return number(UInt32.self, at: position + 1)
    default: return number(UInt64.self, at: position + 1)
    }
  }

  /// The big-endian number of the type's width at a place.
  @inline(__always)
  private func number<Number: FixedWidthInteger & UnsignedInteger>(
    _ type: Number.Type,
    at place: Int,
  ) -> UInt64 {
    bytes.withUnsafeBytes { all in
      let offset = place - bytes.startIndex
      return UInt64(Number(bigEndian: all.loadUnaligned(fromByteOffset: offset, as: type)))
    }
  }

  /// The next item in the words of an error message: its value if that is short.
  package func foundText() -> String {
    var copy = CBORDecoder(bytes[position...])
    guard let kind = try? copy.peekKind() else { return "no item" }
    switch kind {
    case .bool: return (try? copy.bool()).map { "\($0)" } ?? "\(kind)"
    case .unsigned: return (try? copy.unsigned()).map { "\($0)" } ?? "\(kind)"
    case .negative: return (try? copy.signed()).map { "\($0)" } ?? "\(kind)"
    case .float: return (try? copy.double()).map { "\($0)" } ?? "\(kind)"
    case .text:
      guard let text = try? copy.text(), text.utf8.count <= 40 else { return "\(kind)" }
      return "\"\(text)\""
    default: return "\(kind)"
    }
  }

  func hex(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return digits.count == 1 ? "0x0\(digits)" : "0x\(digits)"
  }
}
