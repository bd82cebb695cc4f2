import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// A feature that is a struct: what it leaves out is filled in.
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

  /// The types and the body that are not written.
  func members(in context: some MacroExpansionContext) -> [DeclSyntax] {
    diagnose(in: context)
    var members: [DeclSyntax] = []
    if !isGiven("State") { members.append(state) }
    if !isGiven("Action") {
      guard let action = action(in: context) else { return members }
      members.append(action)
    }
    if !names.properties.contains("body"), names.reduce == nil {
      members.append(
        "\(raw: access)let body = StoreActor.EmptyReducer<Self.State, Self.Action>()"
      )
    }
    return members
  }

  /// Whether a type is declared, or named by a body that reduces types from elsewhere.
  private func isGiven(_ name: String) -> Bool {
    if names.types.contains(name) { return true }
    guard let types = names.body.flatMap(ReducerAttributes.reducedTypes) else { return false }
    let type = name == "State" ? types.state : types.action
    return ![name, "Self.\(name)", "\(declaration.name.text).\(name)"].contains(type)
  }

  private var state: DeclSyntax {
    """
    \(raw: access)struct State: \
    StoreActor.ObservableState, Swift.Codable, Swift.Equatable, Swift.Hashable, Swift.Sendable {
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
            + "enum; write those of a struct's State and Action where they are declared",
        ).at(arguments)
      )
    }
    if let reduce = names.reduce, let body = names.body {
      context.diagnose(UncalledReduce(function: reduce, body: body).diagnostic(in: declaration))
    }
  }
}
