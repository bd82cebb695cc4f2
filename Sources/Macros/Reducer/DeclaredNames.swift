import SwiftSyntax

/// The declarations in a type, inside of any `#if`.
struct DeclaredNames {
  /// The names of types and type parameters.
  private(set) var types: Set<String> = []
  private(set) var properties: Set<String> = []
  private(set) var functions: Set<String> = []
  /// Whether `schema(in:)` is among them, which shows a manual encoding.
  private(set) var hasSchema = false
  /// The property `body`.
  private(set) var body: VariableDeclSyntax?
  /// The method `reduce(into:action:)`.
  private(set) var reduce: FunctionDeclSyntax?
  /// A method `reduce` with other labels.
  private(set) var misnamedReduce: FunctionDeclSyntax?

  init(_ members: MemberBlockItemListSyntax, _ generics: GenericParameterClauseSyntax? = nil) {
    types = Set(generics?.parameters.map(\.name.plainText) ?? [])
    add(members)
  }

  private mutating func add(_ members: MemberBlockItemListSyntax) {
    for member in members {
      if let conditional = member.decl.as(IfConfigDeclSyntax.self) {
        for clause in conditional.clauses {
          if case .decls(let members)? = clause.elements { add(members) }
        }
      } else if let function = member.decl.as(FunctionDeclSyntax.self) {
        add(function)
      } else if let variable = member.decl.as(VariableDeclSyntax.self) {
        add(variable)
      } else if let type = member.decl.asProtocol((any NamedDeclSyntax).self) {
        types.insert(type.name.plainText)
      }
    }
  }

  private mutating func add(_ function: FunctionDeclSyntax) {
    functions.insert(function.name.plainText)
    hasSchema = hasSchema || function.isSchema
    let labels = function.signature.parameterClause.parameters.map(\.firstName.text)
    guard function.name.text == "reduce" else { return }
    if labels == ["into", "action"] { reduce = function } else { misnamedReduce = function }
  }

  private mutating func add(_ variable: VariableDeclSyntax) {
    for binding in variable.bindings {
      guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else { continue }
      properties.insert(pattern.identifier.plainText)
      if pattern.identifier.text == "body" { body = variable }
    }
  }
}

extension FunctionDeclSyntax {
  /// Whether it is the `schema(in:)` of the author's own encoding.
  var isSchema: Bool {
    name.plainText == "schema" && modifiers.contains("static")
      && signature.parameterClause.parameters.map(\.firstName.text) == ["in"]
  }
}
