import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// A feature that is a struct; the macro adds the members that it omits.
struct StructReducer {
  private let declaration: StructDeclSyntax
  private let node: AttributeSyntax
  private let access: String
  private let names: DeclaredNames

  init(_ declaration: StructDeclSyntax, node: AttributeSyntax, access: String) {
    self.declaration = declaration
    self.node = node
    self.access = access
    names = DeclaredNames(declaration.memberBlock.members, declaration.genericParameterClause)
  }

  /// The types and the body that the author omits.
  func members(in context: some MacroExpansionContext) -> [DeclSyntax] {
    diagnose(in: context)
    var members: [DeclSyntax] = []
    if !isGiven("State", in: context) { members.append(state) }
    if !isGiven("Action", in: context) {
      guard let action = action(in: context) else { return members }
      members.append(action)
    }
    if !names.properties.contains("body"), names.reduce == nil {
      members.append(
        "\(raw: access)let body = \(raw: module)EmptyReducer<Self.State, Self.Action>()"
      )
    }
    return members
  }

  /// Whether a type is declared, or named by a body that reduces foreign types: in a nested
  /// reducer, those of the outer one.
  private func isGiven(_ name: String, in context: some MacroExpansionContext) -> Bool {
    if names.types.contains(name) { return true }
    guard let body = names.body else { return false }
    if let value = body.bindings.first?.initializer {
      return !value.tokens(viewMode: .sourceAccurate).contains { $0.text == name }
    }
    guard let types = ReducerAttributes.reducedTypes(by: body) else { return false }
    let type = name == "State" ? types.state : types.action
    if type == name, isInReducer(context) { return true }
    return ![name, "Self.\(name)", "\(declaration.name.text).\(name)"].contains(type)
  }

  private func isInReducer(_ context: some MacroExpansionContext) -> Bool {
    context.lexicalContext.contains { around in
      around.asProtocol((any DeclGroupSyntax).self)?.attributes.attribute(named: "Reducer") != nil
    }
  }

  private var state: DeclSyntax {
    """
    \(raw: access)struct State: \
    \(raw: module)ObservableState, Swift.Codable, Swift.Equatable, Swift.Hashable, Swift.Sendable {
    \(raw: access)init() {}
    }
    """
  }

  private func action(in context: some MacroExpansionContext) -> DeclSyntax? {
    let schemaName = "\(context.qualifiedName(of: declaration.name.plainText)).Action"
    let members = declaration.memberBlock.members
    let split = SplitAction(members, access: access, schemaName: schemaName)
    if split.isWritten { return split.declaration(in: context) }
    let action = GeneratedEnum(
      access: access,
      name: "Action",
      inherited: ["Swift.Equatable", "Swift.Hashable", "Swift.Sendable"],
      body: "",
      schemaName: schemaName,
    )
    return action.declaration(in: context)
  }

  private func diagnose(in context: some MacroExpansionContext) {
    if case .argumentList(let arguments)? = node.arguments, !arguments.isEmpty {
      context.diagnose(
        MacroMessage(
          "conformancesOfStruct",
          "'state:' and 'action:' name conformances of the types that '@Reducer' writes for an "
            + "enum; write those of a struct's State and Action at their declarations",
        ).at(arguments)
      )
    }
    if let reduce = names.reduce, let body = names.body {
      context.diagnose(UncalledReduce(function: reduce, body: body).diagnostic(in: declaration))
    }
    if let reduce = names.misnamedReduce, names.reduce == nil, !names.properties.contains("body") {
      context.diagnose(
        MacroMessage(
          "misnamedReduce",
          "Nothing calls this 'reduce', so nothing happens at the feature's actions; write "
            + "'var body: some ReducerOf<Self>', or 'func reduce(into state: inout State, "
            + "action: Action) -> Effect<Action>'",
          severity: .warning,
        ).at(reduce.name)
      )
    }
  }
}
