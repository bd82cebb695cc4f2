import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Reducer` of the Simplex surface: a reducer of a view's state, whose `Action` has the cases of
/// its `ViewAction` and `ReducerAction`.
///
/// A struct is such a reducer if its `reduce(into:action:)` takes a `StateContainer`, or if it has
/// neither `State` nor `body`. ``ReducerMacro`` handles all other declarations.
enum SimplexReducerMacro {
  private static func reducer(_ declaration: some DeclGroupSyntax) -> StructDeclSyntax? {
    guard let declaration = declaration.as(StructDeclSyntax.self) else { return nil }
    let names = DeclaredNames(declaration.memberBlock.members, declaration.genericParameterClause)
    let parameter = names.reduce?.signature.parameterClause.parameters.first
    if let parameter { return parameter.type.baseNames == ["StateContainer"] ? declaration : nil }
    let isOther = names.types.contains("State") || names.properties.contains("body")
    return isOther ? nil : declaration
  }
}

extension SimplexReducerMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext,
  ) throws -> [ExtensionDeclSyntax] {
    guard reducer(declaration) != nil else {
      return try ReducerMacro.expansion(
        of: node,
        attachedTo: declaration,
        providingExtensionsOf: type,
        conformingTo: protocols.filter { $0.baseNames != ["ReducerProtocol"] },
        in: context,
      )
    }
    let isMissing = protocols.flatMap(\.baseNames).contains("ReducerProtocol")
    guard isMissing, !declaration.inherits("ReducerProtocol") else { return [] }
    let result: DeclSyntax = """
      \(raw: declaration.availability)extension \(type.trimmed): \
      StoreActorSimplex.ReducerProtocol {}
      """
    return result.as(ExtensionDeclSyntax.self).map { [$0] } ?? []
  }
}

extension SimplexReducerMacro: MemberAttributeMacro {
  static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext,
  ) throws -> [AttributeSyntax] {
    try ReducerMacro.expansion(
      of: node,
      attachedTo: declaration,
      providingAttributesFor: member,
      in: context,
    )
  }
}

extension SimplexReducerMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext,
  ) throws -> [DeclSyntax] {
    guard let declaration = reducer(declaration) else {
      return try ReducerMacro.expansion(
        of: node,
        providingMembersOf: declaration,
        conformingTo: protocols,
        in: context,
      )
    }
    let members = declaration.memberBlock.members
    let split = SplitAction(
      members,
      access: declaration.memberAccess(in: context),
      schemaName: "\(context.qualifiedName(of: declaration.name.plainText)).Action",
      conformances: ["StoreActorSimplex.ActionProtocol"],
    )
    if DeclaredNames(members).types.contains("Action") { return [] }
    guard split.isWritten else {
      let message = MacroMessage(
        "simplexWithoutView",
        "A reducer of a view's state needs an 'enum ViewAction' with the actions of the view",
      )
      context.diagnose(message.at(declaration.name))
      return []
    }
    return split.declaration(in: context).map { [$0] } ?? []
  }
}
