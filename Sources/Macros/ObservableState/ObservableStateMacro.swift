import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@ObservableState`: the conformance, and the members for replication if the declaration names
/// `ReplicatedState`.
enum ObservableStateMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext,
  ) throws -> [ExtensionDeclSyntax] {
    guard let state = StateDeclaration(declaration, in: context) else {
      context.diagnose(wrongDeclaration(declaration, node: node))
      return []
    }
    var members = state.observationMembers
    if state.isReplicated {
      members += state.replicationMembers(in: context)
    }
    let conformances = protocols.map { "\(module)\(Self.name(of: $0))" }
    guard !conformances.isEmpty || !members.isEmpty else { return [] }
    if declaration.diagnosePrivate(node, in: context) { return [] }
    let clause = conformances.isEmpty ? "" : ": \(conformances.joined(separator: ", "))"
    let body = members.isEmpty ? "{}" : "{\n\(members.joined(separator: "\n\n"))\n}"
    let header: DeclSyntax =
      "\(raw: declaration.availability)extension \(type.trimmed)\(raw: clause) \(raw: body)"
    guard let result = header.as(ExtensionDeclSyntax.self) else { return [] }
    return [result]
  }

  /// The name of a type without its module.
  private static func name(of type: TypeSyntax) -> String {
    type.as(MemberTypeSyntax.self)?.name.text ?? type.trimmedDescription
  }

  private static func wrongDeclaration(
    _ declaration: some DeclGroupSyntax,
    node: AttributeSyntax,
  ) -> Diagnostic {
    let message = StateMessage(
      "observableStateOnWrongDeclaration",
      "'@ObservableState' can only be applied to a struct or an enum: a state is a value, so that "
        + "a store can compare its old value with its new one",
    )
    guard let group = declaration.as(ClassDeclSyntax.self) else { return message.at(node) }
    let keyword = group.classKeyword
    return message.at(
      node,
      fixIts: [
        .replace(
          "Make it a struct",
          keyword,
          by: keyword.with(\.tokenKind, .keyword(.struct)),
        )
      ],
    )
  }
}

extension ObservableStateMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext,
  ) throws -> [DeclSyntax] {
    guard let hints = StateDeclaration(declaration, in: context)?.hintsMember else { return [] }
    return ["\(raw: hints)"]
  }
}
