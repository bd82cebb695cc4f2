import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// An enum that a macro writes, with its case paths and the wire form of its cases.
///
/// Everything is written out: attributes of this package on generated code would be expanded once
/// more, by macros that do not learn what stands around, and the compiler has its limits there.
struct GeneratedEnum {
  /// `public `, `package `, or nothing.
  var access: String
  var isIndirect = false
  var attributes: [String] = []
  let name: String
  /// What it conforms to beside what its case paths do.
  var inherited: [String] = []
  /// Its cases and whatever else it has, but for what is generated.
  let body: String
  /// What it is called in schemas.
  let schemaName: String

  private var head: String {
    let paths = ["\(module)CasePathable", "\(module)CasePathIterable"]
    let clause = (inherited + paths.map { "nonisolated \($0)" }).joined(separator: ", ")
    return "\(access)\(isIndirect ? "indirect " : "")enum \(name): \(clause)"
  }

  /// The enum with all its members.
  ///
  /// - Parameters:
  ///   - context: What messages go to.
  ///   - members: More members, made of the enum as it is written so far.
  /// - Returns: The enum.
  func declaration(
    in context: some MacroExpansionContext,
    adding members: (EnumDeclSyntax) -> [String] = { _ in [] },
  ) -> DeclSyntax {
    let bare: DeclSyntax = "\(raw: head) {\n\(raw: body)\n}"
    guard let bare = bare.as(EnumDeclSyntax.self) else { return bare }
    let nodes = CaseNode.all(in: bare.memberBlock.members)
    let paths = CasePathsText(nodes: nodes, name: name, access: access)
    var parts = [body] + paths.declarations.map(\.description)
    if WireActionExpansion.isWanted(by: bare) {
      let wire = WireActionExpansion(
        nodes: nodes,
        access: access,
        schemaName: schemaName,
        source: SourceLines(context),
      )
      parts += wire.declarations.map(\.description)
    }
    parts += members(bare)
    return """
      \(raw: attributes.map { "\($0)\n" }.joined())\(raw: head) {
      \(raw: parts.filter { !$0.isEmpty }.joined(separator: "\n\n"))
      }
      """
  }
}
