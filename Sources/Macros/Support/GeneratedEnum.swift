import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// An enum that a macro generates, with its case paths and the wire form of its cases.
///
/// All members are written out: attributes of this package on generated code would be expanded
/// again, by macros that do not receive the context, and the compiler limits this.
struct GeneratedEnum {
  /// `public `, `package `, or empty.
  var access: String
  var isIndirect = false
  var attributes: [String] = []
  let name: String
  /// The conformances in addition to those of the case paths.
  var inherited: [String] = []
  /// The cases and other members, without the generated ones.
  let body: String
  /// The enum's name in schemas.
  let schemaName: String
  /// The cases that a `ReducerAction` with a durable form declares.
  var casesOfReducerAction: Set<String> = []

  private var head: String {
    let paths = ["\(module)CasePathable", "\(module)CasePathIterable"]
    let clause = (inherited + paths.map { "nonisolated \($0)" }).joined(separator: ", ")
    return "\(access)\(isIndirect ? "indirect " : "")enum \(name): \(clause)"
  }

  /// The enum with all its members.
  ///
  /// - Parameters:
  ///   - context: The receiver of messages.
  ///   - members: Returns more members for the enum as written so far.
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
    if let kind = WireActionExpansion.kind(of: bare) {
      let wire = WireActionExpansion(
        nodes: nodes,
        kind: kind,
        access: access,
        schemaName: schemaName,
        source: SourceLines(context),
        casesOfReducerAction: kind == .durable ? casesOfReducerAction : [],
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
