import StoreState

/// A JSON text as a tree.
///
/// Numbers keep their text, so integers lose no digits; members keep their order.
package enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  /// A number in its original text, which satisfies `isNumber(_:)`.
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([Member])

  /// A name and its value.
  package struct Member: Hashable, Sendable {
    package var name: String
    package var value: JSONValue

    package init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// A number without a fraction.
  package static func integer(_ value: some BinaryInteger) -> JSONValue {
    .number(value.description)
  }

  /// A number; NaN and the infinities become strings, because JSON has no such numbers.
  package static func float(
    _ value: some BinaryFloatingPoint & LosslessStringConvertible
  )
    -> JSONValue
  {
    if value.isNaN { return .string("nan") }
    if value.isInfinite { return .string(value < 0 ? "-inf" : "inf") }
    return .number(value.description)
  }

  /// The value of a member of an object.
  package subscript(_ name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
  }

  /// Whether a text is an integer without redundant signs and zeros.
  static func isInteger(_ text: String) -> Bool {
    let digits = text.hasPrefix("-") ? text.utf8.dropFirst() : text.utf8[...]
    guard let first = digits.first, digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return false
    }
    return digits.count == 1 || first != 0x30
  }

  /// The value in the words of an error message: a short value itself, otherwise its kind.
  var foundText: String {
    switch self {
    case .string(let text) where text.utf8.count > 40: "a string"
    case .array: "an array"
    case .object: "an object"
    default: self.text()
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(integerLiteral value: Int) { self = .integer(value) }
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
}

// MARK: - Writing

extension JSONValue {
  /// The JSON text: on one line, or indented by two spaces.
  package func text(pretty: Bool = false) -> String {
    var output: [UInt8] = []
    write(to: &output, indentation: pretty ? 0 : nil)
    return String(decoding: output, as: UTF8.self)
  }

  private func write(to output: inout [UInt8], indentation: Int?) {
    switch self {
    case .null: output += "null".utf8
    case .bool(let value): output += (value ? "true" : "false").utf8
    case .number(let text): output += text.utf8
    case .string(let text): Self.write(text, to: &output)
    case .array(let items):
      Self.write(items, "[", "]", to: &output, indentation) { item, output, indentation in
        item.write(to: &output, indentation: indentation)
      }
    case .object(let members):
      Self.write(members, "{", "}", to: &output, indentation) { member, output, indentation in
        Self.write(member.name, to: &output)
        output += (indentation == nil ? ":" : ": ").utf8
        member.value.write(to: &output, indentation: indentation)
      }
    }
  }

  private static func write<Item>(
    _ items: [Item],
    _ opening: Unicode.Scalar,
    _ closing: Unicode.Scalar,
    to output: inout [UInt8],
    _ indentation: Int?,
    _ body: (Item, inout [UInt8], Int?) -> Void,
  ) {
    output.append(UInt8(ascii: opening))
    let inner = indentation.map { $0 + 2 }
    for (index, item) in items.enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      breakLine(inner, &output)
      body(item, &output, inner)
    }
    if !items.isEmpty { breakLine(indentation, &output) }
    output.append(UInt8(ascii: closing))
  }

  private static func breakLine(_ indentation: Int?, _ output: inout [UInt8]) {
    guard let indentation else { return }
    output.append(UInt8(ascii: "\n"))
    output += repeatElement(UInt8(ascii: " "), count: indentation)
  }

  private static func write(_ text: String, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": output += #"\""#.utf8
      case "\\": output += #"\\"#.utf8
      case "\n": output += #"\n"#.utf8
      case "\r": output += #"\r"#.utf8
      case "\t": output += #"\t"#.utf8
      // More escapes than JSON requires: they are valid JSON, and protect terminals.
      case _ where scalar.disturbsDisplay:
        let digits = String(scalar.value, radix: 16)
        output += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8
      case _ where scalar.isASCII: output.append(UInt8(ascii: scalar))
      default: output += String(scalar).utf8
      }
    }
    output.append(UInt8(ascii: "\""))
  }
}
