import SwiftSyntax

/// A case of an enumeration that holds state.
struct StateCase {
  /// An associated value of the case.
  struct Part {
    /// The label in its source form; nil without a label.
    let label: TokenSyntax?
    /// The part's name on the wire.
    let name: String
  }

  let identifier: TokenSyntax
  let payload: [Part]
  let declaration: EnumCaseDeclSyntax
  /// Whether the case is inside of `#if`.
  let isConditional: Bool

  var name: String { identifier.plainText }

  /// All cases in the order of declaration.
  static func all(
    in members: MemberBlockItemListSyntax,
    isConditional: Bool = false,
  ) -> [StateCase] {
    members.flatMap { member -> [StateCase] in
      if let declaration = member.decl.as(EnumCaseDeclSyntax.self) {
        return declaration.elements.map {
          StateCase($0, of: declaration, isConditional: isConditional)
        }
      }
      guard let conditional = member.decl.as(IfConfigDeclSyntax.self) else { return [] }
      return conditional.clauses.flatMap { clause -> [StateCase] in
        guard case .decls(let members)? = clause.elements else { return [] }
        return all(in: members, isConditional: true)
      }
    }
  }

  private init(
    _ element: EnumCaseElementSyntax,
    of declaration: EnumCaseDeclSyntax,
    isConditional: Bool,
  ) {
    identifier = element.name.trimmed
    self.declaration = declaration
    self.isConditional = isConditional
    let parameters = element.parameterClause?.parameters
    payload = (parameters.map(Array.init) ?? []).enumerated().map { place, parameter in
      let label = parameter.firstName.flatMap { $0.text == "_" ? nil : $0.trimmed }
      return Part(label: label, name: label?.plainText ?? "_\(place)")
    }
  }
}
