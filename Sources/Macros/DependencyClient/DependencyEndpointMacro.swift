import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@DependencyEndpoint`: a closure that reports a call if it is not implemented.
enum DependencyEndpointMacro {}

extension DependencyEndpointMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext,
  ) throws -> [AccessorDeclSyntax] {
    // The peer expansion diagnoses the fault.
    guard let endpoint = declaration.as(VariableDeclSyntax.self).flatMap(Endpoint.init),
      endpoint.initializer != nil || !endpoint.needsDefault
    else { return [] }
    return [
      """
      @storageRestrictions(initializes: \(raw: endpoint.storage))
      init(initialValue) {
        \(raw: endpoint.storage) = initialValue
      }
      """,
      """
      get {
        \(raw: endpoint.storage)
      }
      """,
      """
      set {
        \(raw: endpoint.storage) = newValue
      }
      """,
    ]
  }
}

extension DependencyEndpointMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext,
  ) throws -> [DeclSyntax] {
    guard let variable = declaration.as(VariableDeclSyntax.self) else {
      context.diagnose(wrongDeclaration(node))
      return []
    }
    guard let endpoint = Endpoint(variable) else {
      context.diagnose(wrongDeclaration(node))
      return []
    }
    guard endpoint.initializer != nil || !endpoint.needsDefault else {
      context.diagnose(missingDefault(endpoint, in: variable))
      return []
    }
    let value = endpoint.unimplemented(SourceLines(context))
    var peers: [DeclSyntax] = [
      "private var \(raw: endpoint.storage): \(raw: endpoint.type) = \(raw: value)"
    ]
    if let method = endpoint.method(named: node.text(labelled: "method")) {
      peers.append("\(raw: method)")
    }
    return peers
  }

  private static func wrongDeclaration(_ node: AttributeSyntax) -> Diagnostic {
    StateMessage(
      "dependencyEndpointOnWrongDeclaration",
      "'@DependencyEndpoint' can only be applied to a 'var' with the type of a closure: "
        + "'var fetch: @Sendable (_ id: Int) async throws -> User'",
    ).at(node)
  }

  private static func missingDefault(
    _ endpoint: Endpoint,
    in variable: VariableDeclSyntax,
  ) -> Diagnostic {
    let result = endpoint.function.returnClause.type.trimmedDescription
    let message = StateMessage(
      "dependencyEndpointWithoutDefault",
      "'\(endpoint.name)' needs a default value: an endpoint without an implementation reports "
        + "so and must then return some '\(result)', because it cannot throw any error",
    )
    guard let binding = variable.bindings.first else { return message.at(variable) }
    let count = endpoint.function.parameters.count
    let wildcards = Array(repeating: "_", count: count).joined(separator: ", ")
    let parameters = count == 0 ? "" : "\(wildcards) in "
    let value: ExprSyntax = "{ \(raw: parameters)<#\(raw: result)#> }"
    let initializer = InitializerClauseSyntax(
      equal: .equalToken(leadingTrivia: .space, trailingTrivia: .space),
      value: value,
    )
    let trivia = binding.trailingTrivia
    let fixed = binding.with(\.trailingTrivia, [])
      .with(\.initializer, initializer.with(\.trailingTrivia, trivia))
    return message.at(binding, fixIts: [.replace("Give it a default", binding, by: fixed)])
  }
}

/// `@DependencyEndpointIgnored`: a mark that `@DependencyClient` reads.
enum DependencyEndpointIgnoredMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext,
  ) throws -> [DeclSyntax] { [] }
}
