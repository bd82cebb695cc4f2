import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@CasePathable`: a case path for each case of an enum and, if the declaration names
/// `WireAction` or `DurableAction`, the form of its cases.
enum CasePathableMacro {}

extension CasePathableMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext,
  ) throws -> [ExtensionDeclSyntax] {
    guard declaration.is(EnumDeclSyntax.self) else { return [] }
    let missing = protocols.flatMap(\.baseNames).filter { !declaration.inherits($0) }
    guard !missing.isEmpty else { return [] }
    if declaration.diagnosePrivate(node, in: context) { return [] }
    let clause = missing.map { "nonisolated \(module)\($0)" }.joined(separator: ", ")
    let result: DeclSyntax = """
      \(raw: declaration.availability)extension \(type.trimmed): \(raw: clause) {}
      """
    return result.as(ExtensionDeclSyntax.self).map { [$0] } ?? []
  }
}

extension CasePathableMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext,
  ) throws -> [DeclSyntax] {
    guard let declaration = declaration.as(EnumDeclSyntax.self) else {
      let message = MacroMessage(
        "casePathableOnWrongDeclaration",
        "'@CasePathable' can only be applied to an enum: it makes key paths of cases",
      )
      context.diagnose(message.at(declaration.kindToken))
      return []
    }
    let nodes = CaseNode.all(in: declaration.memberBlock.members)
    guard diagnose(nodes, in: context) else { return [] }
    let paths = CasePathsText(
      nodes: nodes,
      name: declaration.name.text,
      access: declaration.memberAccess(in: context),
    )
    guard let kind = WireActionExpansion.kind(of: declaration) else { return paths.declarations }
    let wire = WireActionExpansion(
      nodes: nodes,
      kind: kind,
      access: declaration.memberAccess(in: context),
      schemaName: context.qualifiedName(of: declaration.name.plainText),
      source: SourceLines(context),
    )
    return paths.declarations + wire.declarations
  }

  /// Diagnoses cases that share a name; returns whether all names are unique.
  private static func diagnose(
    _ nodes: [CaseNode],
    in context: some MacroExpansionContext,
  ) -> Bool {
    let overloaded = nodes.overloaded
    for element in overloaded {
      let message = MacroMessage(
        "overloadedCase",
        "'@CasePathable' needs cases with names of their own, and there is another "
          + "'\(element.name)': rename one of them",
      )
      context.diagnose(message.at(element.element.name))
    }
    return overloaded.isEmpty
  }
}
