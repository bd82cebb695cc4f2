import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Reducer`: the conformance of a feature, and the members that the feature omits.
enum ReducerMacro {}

extension ReducerMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext,
  ) throws -> [ExtensionDeclSyntax] {
    let isEnum = declaration.is(EnumDeclSyntax.self)
    guard isEnum || declaration.is(StructDeclSyntax.self) else { return [] }
    let missing = protocols.flatMap(\.baseNames).filter {
      !declaration.inherits($0) && (isEnum || $0 != "CaseReducer")
    }
    guard !missing.isEmpty else { return [] }
    if declaration.diagnosePrivate(node, in: context) { return [] }
    // `CaseReducer` first: the compiler looks for its body before that of `Reducer`.
    let clause = missing.sorted().map { "nonisolated \(module)\($0)" }.joined(separator: ", ")
    let result: DeclSyntax = """
      \(raw: declaration.availability)extension \(type.trimmed): \(raw: clause) {}
      """
    return result.as(ExtensionDeclSyntax.self).map { [$0] } ?? []
  }
}

extension ReducerMacro: MemberAttributeMacro {
  static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext,
  ) throws -> [AttributeSyntax] {
    guard declaration.isReducerKind else { return [] }
    if let member = member.as(EnumDeclSyntax.self) {
      return ReducerAttributes.attributes(of: member)
    }
    if let member = member.as(VariableDeclSyntax.self) {
      return ReducerAttributes.attributes(of: member)
    }
    return []
  }
}

extension ReducerMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext,
  ) throws -> [DeclSyntax] {
    let access = declaration.memberAccess(in: context)
    if let declaration = declaration.as(StructDeclSyntax.self) {
      return StructReducer(declaration, node: node, access: access).members(in: context)
    }
    if let declaration = declaration.as(EnumDeclSyntax.self) {
      return EnumReducer(declaration, node: node, access: access).members(in: context)
    }
    context.diagnose(wrongDeclaration(declaration))
    return []
  }

  private static func wrongDeclaration(_ declaration: some DeclGroupSyntax) -> Diagnostic {
    let token = declaration.kindToken
    let message = MacroMessage(
      "reducerOnWrongDeclaration",
      "'@Reducer' can only be applied to a struct, or to an enum whose cases are features",
    )
    let isPlainClass =
      declaration.is(ActorDeclSyntax.self)
      || (declaration.is(ClassDeclSyntax.self) && declaration.inheritanceClause == nil)
    guard isPlainClass else { return message.at(token) }
    let fixIt = FixIt(
      message: FixItTitle("makeStruct", "Make it a struct"),
      changes: [
        .replace(
          oldNode: Syntax(token),
          newNode: Syntax(token.with(\.tokenKind, .keyword(.struct))),
        )
      ],
    )
    return message.at(token, fixIts: [fixIt])
  }
}

extension DeclGroupSyntax {
  /// Whether it is of a kind that can be a reducer.
  fileprivate var isReducerKind: Bool {
    self.is(StructDeclSyntax.self) || self.is(EnumDeclSyntax.self)
  }
}
