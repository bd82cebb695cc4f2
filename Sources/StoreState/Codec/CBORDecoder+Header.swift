extension CBORDecoder {
  /// An item's first byte and its argument.
  struct Header {
    var kind: CBORKind
    /// The integer, length, count, tag or float pattern.
    var argument: UInt64
    /// The low five bits of the first byte: how the argument was written.
    var width: UInt8
    /// Where the item begins.
    var start: Int
  }

  /// The kind of the next item; the decoder stays where it is.
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

  /// Reads an item's first byte and argument when the item is of a kind, other than a simple one.
  @inline(__always)
  mutating func header(_ expected: StaticString, _ kind: CBORKind) throws(CodecError) -> Header {
    let start = position
    guard start < bytes.endIndex, bytes[start] >> 5 == kind.major else {
      throw mismatch(expected)
    }
    let width = bytes[start] & 0x1f
    // Most arguments are small, and then the first byte says it all.
    guard width >= 24 else {
      position = start + 1
      return Header(kind: kind, argument: UInt64(width), width: width, start: start)
    }
    return try longHeader(kind, width)
  }

  /// What stands next instead of an item of a kind.
  @inline(never)
  func mismatch(_ expected: StaticString) -> CodecError {
    do throws(CodecError) {
      _ = try peekKind()
    } catch {
      return error
    }
    return error(.typeMismatch, "expected \(expected), found \(foundText())")
  }

  @inline(never)
  private mutating func longHeader(
    _ kind: CBORKind,
    _ width: UInt8,
  ) throws(CodecError) -> Header {
    let start = position
    position += 1
    let argument = try readArgument(width, start: start)
    try checkShortest(argument, width: width, start: start)
    return Header(kind: kind, argument: argument, width: width, start: start)
  }

  /// Reads a float's first byte and its pattern.
  mutating func floatHeader() throws(CodecError) -> Header {
    let start = position
    guard start < bytes.endIndex, (CBOR.half...CBOR.double).contains(bytes[start]) else {
      throw mismatch("a float")
    }
    let width = bytes[start] & 0x1f
    position += 1
    let pattern = try readArgument(width, start: start)
    return Header(kind: .float, argument: pattern, width: width, start: start)
  }

  private mutating func readArgument(_ width: UInt8, start: Int) throws(CodecError) -> UInt64 {
    guard width >= 24 else { return UInt64(width) }
    guard width <= 27 else {
      throw CodecError(
        .unsupported,
        width == 31
          ? "indefinite lengths are not allowed; write the length first"
          : "the byte \(hex(bytes[start])) begins no item",
        offset: start - bytes.startIndex,
      )
    }
    let count = 1 << Int(width - 24)
    guard bytes.endIndex - position >= count else {
      throw CodecError(
        .truncated,
        "the bytes end inside the item's first \(count + 1) bytes",
        offset: bytes.count,
      )
    }
    let offset = position - bytes.startIndex
    let value = bytes.withUnsafeBufferPointer { all in
      all[offset..<(offset + count)].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    }
    position += count
    return value
  }

  private func checkShortest(
    _ argument: UInt64,
    width: UInt8,
    start: Int,
  ) throws(CodecError) {
    let least: UInt64
    switch width {
    case 24: least = 24
    case 25: least = 0x100
    case 26: least = 0x1_0000
    case 27: least = 0x1_0000_0000
    default: return
    }
    guard argument >= least else {
      throw CodecError(
        .notCanonical,
        "\(argument) is not written in its shortest form",
        offset: start - bytes.startIndex,
      )
    }
  }

  /// What stands next, in the words of an error message: the value when it is short.
  func foundText() -> String {
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
