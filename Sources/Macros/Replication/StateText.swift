import SwiftSyntax

/// Text that stands in generated code.
enum StateText {
  /// A string literal.
  static func literal(_ text: String) -> String {
    // Names are identifiers, which hold neither quotes nor backslashes, except raw ones.
    let escaped = text.map { character in
      character == "\\" || character == "\"" ? "\\\(character)" : String(character)
    }
    return "\"\(escaped.joined())\""
  }

  /// A function of several lines; those of the body are indented.
  static func function(_ head: String, _ body: [String]) -> String {
    "\(head) {\n\(indented(body))\n}"
  }

  /// Says that a type reads the bytes that it writes itself without a decoder's care.
  static func isPlain(_ access: String) -> String {
    function("\(access)static var _$isPlain: Swift.Bool", ["true"])
  }

  /// The head of the initializer that does.
  static func plainHead(_ access: String) -> String {
    "\(access)init(_$plain reader: inout \(module)_$PlainReader)"
      + " throws(\(module)_$NotPlain)"
  }

  static func indented(_ lines: [String]) -> String {
    lines.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false) }
      .map { $0.isEmpty ? "" : "  \($0)" }
      .joined(separator: "\n")
  }
}
