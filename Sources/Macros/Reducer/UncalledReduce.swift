import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// A `reduce(into:action:)` besides a `body`: stores run the body and never call the method.
struct UncalledReduce {
  let function: FunctionDeclSyntax
  let body: VariableDeclSyntax

  /// The warning, with a fix that moves the method's logic to the end of the body.
  func diagnostic(in declaration: StructDeclSyntax) -> Diagnostic {
    let message = MacroMessage(
      "reduceBesideBody",
      "A store runs the 'body' and never calls this 'reduce(into:action:)'; move its logic into a "
        + "'Reduce' in the body",
      severity: .warning,
    )
    return message.at(function.name, fixIts: fixIt(in: declaration).map { [$0] } ?? [])
  }

  private func fixIt(in declaration: StructDeclSyntax) -> FixIt? {
    guard
      let logic = function.body,
      let binding = body.bindings.first, body.bindings.count == 1,
      let accessors = binding.accessorBlock, case .getter(let items) = accessors.accessors,
      let old = declaration.memberBlock.members.first(where: { $0.decl.id == function.id })
    else { return nil }
    let names = function.signature.parameterClause.parameters.map {
      ($0.secondName ?? $0.firstName).text
    }
    let reduce: CodeBlockItemSyntax = """
      \n    Reduce { \(raw: names.joined(separator: ", ")) in\(raw: indented(logic.statements))
          }
      """
    let members = declaration.memberBlock.members.compactMap { member -> MemberBlockItemSyntax? in
      if member.id == old.id { return nil }
      guard member.decl.id == body.id else { return member }
      let getter = accessors.with(\.accessors, .getter(items + [reduce]))
      let bindings = PatternBindingListSyntax([binding.with(\.accessorBlock, getter)])
      return member.with(\.decl, DeclSyntax(body.with(\.bindings, bindings)))
    }
    return FixIt(
      message: FixItTitle("moveReduceIntoBody", "Move it into the body"),
      changes: [
        .replace(
          oldNode: Syntax(declaration.memberBlock.members),
          newNode: Syntax(MemberBlockItemListSyntax(members)),
        )
      ],
    )
  }

  private func indented(_ statements: CodeBlockItemListSyntax) -> String {
    let lines = statements.description.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.map { $0.isEmpty ? "" : "  \($0)" }.joined(separator: "\n")
  }
}
