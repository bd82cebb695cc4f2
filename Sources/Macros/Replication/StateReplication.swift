import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

extension StateDeclaration {
  /// The members of the conformance to `ReplicatedState`; after a diagnosed fault, those of a value
  /// without parts.
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
      // After a diagnosed fault, errors about missing members would be noise.
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
