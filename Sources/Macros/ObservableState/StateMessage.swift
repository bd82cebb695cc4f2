import SwiftDiagnostics
import SwiftSyntax

/// A message of a macro of states or dependency clients to the author of the annotated code.
struct StateMessage: DiagnosticMessage, FixItMessage {
  let message: String
  let name: String
  var severity: DiagnosticSeverity = .error

  /// - Parameters:
  ///   - name: The message's identifier, for programs.
  ///   - message: The fault and the remedy.
  init(_ name: String, _ message: String) {
    self.message = message
    self.name = name
  }

  private var id: MessageID { MessageID(domain: "StoreActorMacros", id: name) }
  var diagnosticID: MessageID { id }
  var fixItID: MessageID { id }

  /// The message at a place, with fixes that the author may apply.
  func at(_ node: some SyntaxProtocol, fixIts: [FixIt] = []) -> Diagnostic {
    Diagnostic(node: Syntax(node), message: self, fixIts: fixIts)
  }
}

extension FixIt {
  /// Replaces one node by another.
  static func replace(
    _ message: String,
    _ old: some SyntaxProtocol,
    by new: some SyntaxProtocol,
  ) -> FixIt {
    FixIt(
      message: StateMessage("fixIt", message),
      changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))],
    )
  }
}
