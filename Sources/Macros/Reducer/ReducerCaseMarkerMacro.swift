import SwiftSyntax
import SwiftSyntaxMacros

/// `@ReducerCaseEphemeral` and `@ReducerCaseIgnored`: marks that `@Reducer` reads.
enum ReducerCaseMarkerMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext,
  ) throws -> [DeclSyntax] {
    let outer = context.lexicalContext.first?.as(EnumDeclSyntax.self)
    let isInReducer = outer?.attributes.attribute(named: "Reducer") != nil
    guard declaration.is(EnumCaseDeclSyntax.self), outer == nil || isInReducer else {
      let message = MacroMessage(
        "reducerCaseMarkerOutside",
        "'@\(node.baseName)' can only be applied to a case of an enum that is a '@Reducer'",
      )
      context.diagnose(message.at(node))
      return []
    }
    return []
  }
}
