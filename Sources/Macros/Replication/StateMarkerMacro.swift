import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@ReplicationIgnored`, `@Replicated` and `@ReplicatedAsCodable`: marks for other macros.
enum StateMarkerMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext,
  ) throws -> [DeclSyntax] {
    if let problem = problem(with: declaration, node: node) { context.diagnose(problem) }
    return []
  }

  private static func problem(
    with declaration: some DeclSyntaxProtocol,
    node: AttributeSyntax,
  ) -> Diagnostic? {
    let mark = node.baseName
    if declaration.is(EnumCaseDeclSyntax.self), mark != "ReplicatedAsCodable" {
      return formerNameProblem(node)
    }
    guard let variable = declaration.as(VariableDeclSyntax.self),
      !variable.modifiers.contains("static"), variable.bindings.allSatisfy(\.isStored)
    else {
      let places = mark == "ReplicatedAsCodable" ? "" : " or a case"
      return StateMessage(
        "replicationMarkOnWrongDeclaration",
        "'@\(mark)' can only be applied to a stored property\(places)",
      ).at(node)
    }
    guard mark == "ReplicationIgnored" else { return formerNameProblem(node) }
    return missingDefault(variable)
  }

  private static func formerNameProblem(_ node: AttributeSyntax) -> Diagnostic? {
    guard node.baseName == "Replicated" else { return nil }
    guard (node.text(labelled: "formerly") ?? "").isEmpty else { return nil }
    return StateMessage(
      "formerNameIsNoLiteral",
      "'@Replicated' needs the former name as a literal: '@Replicated(formerly: \"oldName\")'",
    ).at(node)
  }

  private static func missingDefault(_ variable: VariableDeclSyntax) -> Diagnostic? {
    if variable.sharedArguments != nil { return nil }
    let isLazy = variable.modifiers.contains("lazy")
    let isVariable = variable.bindingSpecifier.tokenKind == .keyword(.var)
    for binding in variable.bindings where binding.initializer == nil && !isLazy {
      if isVariable, binding.typeAnnotation?.type.is(OptionalTypeSyntax.self) == true { continue }
      let name = binding.pattern.trimmedDescription
      let type = binding.typeAnnotation?.type.trimmedDescription ?? "default"
      let initializer = InitializerClauseSyntax(
        equal: .equalToken(leadingTrivia: .space, trailingTrivia: .space),
        value: ExprSyntax("<#\(raw: type)#>"),
      )
      let trivia = binding.trailingTrivia
      let fixed = binding.with(\.trailingTrivia, [])
        .with(\.initializer, initializer.with(\.trailingTrivia, trivia))
      return StateMessage(
        "ignoredWithoutDefault",
        "'\(name)' is '@ReplicationIgnored' and needs a default value: copies of the state in "
          + "other processes are made with it",
      ).at(binding, fixIts: [.replace("Give it a default", binding, by: fixed)])
    }
    return nil
  }
}
