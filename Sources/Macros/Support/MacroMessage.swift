import SwiftDiagnostics
import SwiftSyntax

/// A message of a macro of reducers or case paths to the author of the annotated code.
struct MacroMessage: DiagnosticMessage {
  let message: String
  let severity: DiagnosticSeverity
  let diagnosticID: MessageID

  /// - Parameters:
  ///   - name: The message's identifier, for programs.
  ///   - message: The fault and the remedy.
  ///   - severity: The severity of the fault.
  init(_ name: String, _ message: String, severity: DiagnosticSeverity = .error) {
    self.message = message
    self.severity = severity
    diagnosticID = MessageID(domain: "StoreActorMacros", id: name)
  }

  /// The message at a place, with fixes that the author may apply.
  func at(_ node: some SyntaxProtocol, fixIts: [FixIt] = []) -> Diagnostic {
    Diagnostic(node: Syntax(node), message: self, fixIts: fixIts)
  }
}

/// The title of a change that a macro proposes.
struct FixItTitle: FixItMessage {
  let message: String
  let fixItID: MessageID

  init(_ name: String, _ message: String) {
    self.message = message
    fixItID = MessageID(domain: "StoreActorMacros", id: name)
  }
}

extension DeclGroupSyntax {
  /// The keyword of the declaration's kind.
  var kindToken: TokenSyntax {
    if let declaration = self.as(ClassDeclSyntax.self) { return declaration.classKeyword }
    if let declaration = self.as(ActorDeclSyntax.self) { return declaration.actorKeyword }
    if let declaration = self.as(StructDeclSyntax.self) { return declaration.structKeyword }
    if let declaration = self.as(EnumDeclSyntax.self) { return declaration.enumKeyword }
    if let declaration = self.as(ProtocolDeclSyntax.self) { return declaration.protocolKeyword }
    if let declaration = self.as(ExtensionDeclSyntax.self) { return declaration.extensionKeyword }
    return modifiers.first?.name ?? memberBlock.leftBrace
  }
}
