extension JSONValue {
  /// Parses exactly one JSON text (RFC 8259).
  ///
  /// - Throws: A `JSONProjectionError` with the line and the column.
  package init(parsing text: String) throws(JSONProjectionError) {
    var parser = JSONParser(bytes: Array(text.utf8))
    self = try parser.parse()
  }
}

/// A parser of JSON.
///
/// No text traps or exhausts the stack.
private struct JSONParser {
  // Twice the depth of a value: deeper texts cannot be valid.
  private static let maximumDepth = 128

  private let bytes: [UInt8]
  private var position = 0

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  mutating func parse() throws(JSONProjectionError) -> JSONValue {
    let value = try value(depth: 0)
    skipSpace()
    guard position == bytes.count else { throw expected("the end of the text") }
    return value
  }

  // MARK: - Values

  private mutating func value(depth: Int) throws(JSONProjectionError) -> JSONValue {
    skipSpace()
    guard depth <= Self.maximumDepth else {
      throw error("arrays and objects are nested deeper than \(Self.maximumDepth)")
    }
    switch peek {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "-"): return try number()
    case let byte? where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte):
      return try number()
    default:
      if skip("true") { return .bool(true) }
      if skip("false") { return .bool(false) }
      if skip("null") { return .null }
      throw expected("a value")
    }
  }

  private mutating func array(depth: Int) throws(JSONProjectionError) -> JSONValue {
    position += 1
    skipSpace()
    if skip("]") { return .array([]) }
    var items: [JSONValue] = []
    repeat {
      items.append(try value(depth: depth + 1))
      skipSpace()
    } while skip(",")
    guard skip("]") else { throw expected("\",\" or \"]\"") }
    return .array(items)
  }

  private mutating func object(depth: Int) throws(JSONProjectionError) -> JSONValue {
    position += 1
    skipSpace()
    if skip("}") { return .object([]) }
    var members: [JSONValue.Member] = []
    repeat {
      skipSpace()
      guard peek == UInt8(ascii: "\"") else { throw expected("a name in quotes") }
      let name = try string()
      skipSpace()
      guard skip(":") else { throw expected("\":\"") }
      members.append(.init(name, try value(depth: depth + 1)))
      skipSpace()
    } while skip(",")
    guard skip("}") else { throw expected("\",\" or \"}\"") }
    return .object(members)
  }

  private mutating func number() throws(JSONProjectionError) -> JSONValue {
    let start = position
    _ = skip("-")
    if !skip("0") { try digits() }
    if skip(".") { try digits() }
    if skip("e") || skip("E") {
      if !skip("+") { _ = skip("-") }
      try digits()
    }
    return .number(String(decoding: bytes[start..<position], as: UTF8.self))
  }

  private mutating func digits() throws(JSONProjectionError) {
    let start = position
    while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    guard position > start else { throw expected("a digit") }
  }

  // MARK: - Strings

  private mutating func string() throws(JSONProjectionError) -> String {
    position += 1
    var content: [UInt8] = []
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return String(decoding: content, as: UTF8.self)
      case UInt8(ascii: "\\"):
        position += 1
        content += String(try escaped()).utf8
      case 0..<0x20:
        throw error(
          "a control character in a string; write it as \\u00\(byte < 16 ? "0" : "")"
            + String(byte, radix: 16)
        )
      default:
        content.append(byte)
        position += 1
      }
    }
    throw expected("the quote at the end of a string")
  }

  private mutating func escaped() throws(JSONProjectionError) -> Unicode.Scalar {
    guard let byte = peek else { throw expected("an escaped character") }
    position += 1
    switch byte {
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "u"): return try unicodeEscape()
    default:
      position -= 1
      throw expected("one of the escapes \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u")
    }
  }

  private mutating func unicodeEscape() throws(JSONProjectionError) -> Unicode.Scalar {
    let first = try codeUnit()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xdc00, skip("\\u") else { throw error("half a surrogate pair in a string") }
    let second = try codeUnit()
    guard (0xdc00...0xdfff).contains(second),
      let scalar = Unicode.Scalar(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))
    else { throw error("half a surrogate pair in a string") }
    return scalar
  }

  private mutating func codeUnit() throws(JSONProjectionError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw expected("four hexadecimal digits")
      }
      value = value << 4 | UInt32(digit)
      position += 1
    }
    return value
  }

  // MARK: - Bytes

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = peek, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 {
      position += 1
    }
  }

  private mutating func skip(_ text: StaticString) -> Bool {
    let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    guard bytes[position...].starts(with: wanted) else { return false }
    position += wanted.count
    return true
  }

  private func expected(_ what: String) -> JSONProjectionError {
    guard position < bytes.count else { return error("expected \(what), found the end") }
    let rest = String(decoding: bytes[position...].prefix(16), as: UTF8.self)
    return error("expected \(what), found \(rest.first.map { "\"\($0)\"" } ?? "nothing")")
  }

  private func error(_ message: String) -> JSONProjectionError {
    let before = bytes[..<min(position, bytes.count)]
    let line = before.count { $0 == 0x0a } + 1
    let start = before.lastIndex(of: 0x0a).map { $0 + 1 } ?? 0
    let column = String(decoding: before[start...], as: UTF8.self).count + 1
    return JSONProjectionError("not JSON: line \(line), column \(column): \(message)")
  }
}
