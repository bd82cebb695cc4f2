import SwiftSyntax

/// Text of generated code.
enum StateText {
  /// A string literal.
  static func literal(_ text: String) -> String {
    // Names are identifiers; only raw ones contain quotes or backslashes.
    let escaped = text.map { character in
      character == "\\" || character == "\"" ? "\\\(character)" : String(character)
    }
    return "\"\(escaped.joined())\""
  }

  /// A function of several lines with an indented body.
  static func function(_ head: String, _ body: [String]) -> String {
    "\(head) {\n\(indented(body))\n}"
  }

  /// The property that enables the plain reader for a type.
  static func isPlain(_ access: String) -> String {
    function("\(access)static var _$isPlain: Swift.Bool", ["true"])
  }

  /// The head of the plain reader's initializer.
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
