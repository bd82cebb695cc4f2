import SwiftSyntax
import SwiftSyntaxMacros

/// `@ObservationStateIgnored` and `@ObservationStateTracked`: marks that other macros read.
enum ObservationMarkerMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext,
  ) throws -> [DeclSyntax] {
    if !declaration.is(VariableDeclSyntax.self) {
      context.diagnose(
        StateMessage(
          "observationMarkerOnWrongDeclaration",
          "'@\(node.baseName)' can only be applied to a property",
        ).at(node)
      )
    }
    return []
  }
}
