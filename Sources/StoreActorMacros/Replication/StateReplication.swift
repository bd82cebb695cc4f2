import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

extension StateDeclaration {
  /// The members of the conformance to `ReplicatedState`; those of a value without parts when the
  /// author was told of a problem.
  func replicationMembers(in context: some MacroExpansionContext) -> [String] {
    switch kind {
    case .structure:
      let fields = StateField.all(in: members)
      let problems = StateFieldProblems(
        members: members,
        fields: fields,
        isDurable: isDurable,
      ).diagnostics
      problems.forEach(context.diagnose)
      // Whoever was told of a problem need not hear that members are missing as well.
      return StateRecordCode(
        self,
        fields: problems.isEmpty ? fields : [],
        source: SourceLines(context),
      ).members
    case .enumeration:
      // An enumeration with raw values has a wire form through them.
      guard !hasRawValues else { return [] }
      let cases = StateCase.all(in: members)
      let problems = StateCaseProblems(cases: cases).diagnostics
      problems.forEach(context.diagnose)
      return StateChoiceCode(self, cases: cases, source: SourceLines(context)).members
    }
  }

  private var hasRawValues: Bool {
    let rawTypes: Set<String> = [
      "Character", "Double", "Float", "Int", "Int8", "Int16", "Int32", "Int64", "String", "UInt",
      "UInt8", "UInt16", "UInt32", "UInt64",
    ]
    return inheritance?.inheritedNames.contains(where: rawTypes.contains) ?? false
  }
}

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
    "\(access)init(_$plain reader: inout StoreActor._$PlainReader)"
      + " throws(StoreActor._$NotPlain)"
  }

  static func indented(_ lines: [String]) -> String {
    lines.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false) }
      .map { $0.isEmpty ? "" : "  \($0)" }
      .joined(separator: "\n")
  }
}
