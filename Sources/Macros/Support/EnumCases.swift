import SwiftSyntax

/// One case of an enum, as input of a macro.
struct EnumCase {
  /// An associated value of the case.
  struct Parameter {
    /// The label as in a call; nil without a label.
    let label: String?
    let type: TypeSyntax
    /// The expression after the `=`.
    let defaultValue: ExprSyntax?
  }

  let element: EnumCaseElementSyntax
  let declaration: EnumCaseDeclSyntax
  let parameters: [Parameter]

  /// The name in its source form, including backticks.
  var identifier: String { element.name.text }

  /// The name without backticks.
  var name: String { element.name.plainText }

  init(_ element: EnumCaseElementSyntax, of declaration: EnumCaseDeclSyntax) {
    self.element = element
    self.declaration = declaration
    let parameters = element.parameterClause?.parameters.map { $0 } ?? []
    self.parameters = parameters.map { parameter in
      Parameter(
        label: parameter.firstName.flatMap { $0.text == "_" ? nil : Self.label($0) },
        type: parameter.type.trimmed,
        defaultValue: parameter.defaultValue?.value.trimmed,
      )
    }
  }
}

extension EnumCase {
  /// A label without the backticks of which the compiler warns.
  private static func label(_ token: TokenSyntax) -> String {
    ["inout", "let", "var"].contains(token.plainText) ? token.text : token.plainText
  }

  /// The case of a value whose parts have the given names: `.moved(id: v0, to: v1)`.
  func expression(of values: [String]) -> String {
    guard !parameters.isEmpty else { return ".\(identifier)" }
    let arguments = zip(parameters, values).map { parameter, value in
      parameter.label.map { "\($0): \(value)" } ?? value
    }
    return ".\(identifier)(\(arguments.joined(separator: ", ")))"
  }

  /// The pattern that binds the parts to names: `.moved(let v0, let v1)`.
  func pattern(binding names: [String]) -> String {
    guard !names.isEmpty else { return ".\(identifier)" }
    return ".\(identifier)(\(names.map { "let \($0)" }.joined(separator: ", ")))"
  }

  /// The names `v0`, `v1` and so on, one for each part.
  var partNames: [String] {
    parameters.indices.map { "v\($0)" }
  }

  /// The availability attributes of the case, each on its own line.
  var availability: String {
    let attributes = declaration.attributes.compactMap { element -> String? in
      guard case .attribute(let attribute) = element, attribute.baseName == "available" else {
        return nil
      }
      return attribute.trimmedDescription
    }
    return attributes.map { "\($0)\n" }.joined()
  }
}

/// The cases of an enum in source order, with the `#if`s around them.
indirect enum CaseNode {
  case element(EnumCase)
  case conditional([(clause: IfConfigClauseSyntax, nodes: [CaseNode])])

  /// The cases among some members.
  static func all(in members: MemberBlockItemListSyntax) -> [CaseNode] {
    members.flatMap { member -> [CaseNode] in
      if let declaration = member.decl.as(EnumCaseDeclSyntax.self) {
        return declaration.elements.map { .element(EnumCase($0, of: declaration)) }
      }
      guard let conditional = member.decl.as(IfConfigDeclSyntax.self) else { return [] }
      let clauses = conditional.clauses.map { (clause: $0, nodes: all(in: $0)) }
      return clauses.allSatisfy(\.nodes.isEmpty) ? [] : [.conditional(clauses)]
    }
  }

  private static func all(in clause: IfConfigClauseSyntax) -> [CaseNode] {
    guard case .decls(let members)? = clause.elements else { return [] }
    return all(in: members)
  }
}

extension [CaseNode] {
  /// All cases, inside of any `#if`.
  var cases: [EnumCase] {
    flatMap { node in
      switch node {
      case .element(let element): [element]
      case .conditional(let clauses): clauses.flatMap(\.nodes.cases)
      }
    }
  }

  /// One text per case, with the `#if`s around them; cases without a text are omitted.
  func text(_ text: (EnumCase) -> String?) -> String {
    lines(text).joined(separator: "\n")
  }

  private func lines(_ text: (EnumCase) -> String?) -> [String] {
    flatMap { node -> [String] in
      switch node {
      case .element(let element):
        return text(element).map { [$0] } ?? []
      case .conditional(let clauses):
        let parts = clauses.map { ($0.clause, $0.nodes.lines(text)) }
        if parts.allSatisfy(\.1.isEmpty) { return [] }
        return parts.flatMap { [$0.head] + $1 } + ["#endif"]
      }
    }
  }

  /// The cases except the given ones.
  func without(_ cases: [EnumCase]) -> [CaseNode] {
    let ids = Set(cases.map(\.element.id))
    return compactMap { node in
      switch node {
      case .element(let element):
        return ids.contains(element.element.id) ? nil : node
      case .conditional(let clauses):
        return .conditional(clauses.map { ($0.clause, $0.nodes.without(cases)) })
      }
    }
  }

  /// The cases that repeat the name of an earlier case with which they may be compiled together.
  var overloaded: [EnumCase] {
    var names: Set<String> = []
    return overloaded(&names)
  }

  private func overloaded(_ names: inout Set<String>) -> [EnumCase] {
    var result: [EnumCase] = []
    for node in self {
      switch node {
      case .element(let element):
        if !names.insert(element.name).inserted { result.append(element) }
      case .conditional(let clauses):
        let before = names
        for clause in clauses {
          var inside = before
          result += clause.nodes.overloaded(&inside)
          names.formUnion(inside)
        }
      }
    }
    return result
  }
}

extension IfConfigClauseSyntax {
  /// `#if DEBUG`, `#else`.
  fileprivate var head: String {
    let condition = condition.map { " \($0.trimmedDescription)" } ?? ""
    return poundKeyword.text + condition
  }
}
