import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// A feature that is one of several others at a time: an enum with one case for each.
struct EnumReducer {
  private let declaration: EnumDeclSyntax
  private let access: String
  /// The cases; only the first of those that share a name.
  private let nodes: [CaseNode]
  private let overloaded: [EnumCase]
  private let names: DeclaredNames
  private let conformances: SynthesizedConformances

  private var isIndirect: Bool { declaration.modifiers.contains("indirect") }

  init(_ declaration: EnumDeclSyntax, node: AttributeSyntax, access: String) {
    self.declaration = declaration
    self.access = access
    let nodes = CaseNode.all(in: declaration.memberBlock.members)
    overloaded = nodes.overloaded
    self.nodes = nodes.without(overloaded)
    names = DeclaredNames(declaration.memberBlock.members, declaration.genericParameterClause)
    conformances = SynthesizedConformances(node)
  }

  /// The types and the body that the author omits.
  func members(in context: some MacroExpansionContext) -> [DeclSyntax] {
    guard diagnose(in: context) else { return [] }
    var members: [DeclSyntax] = []
    if !names.types.contains("State") { members.append(state(in: context)) }
    if !names.types.contains("Action") { members.append(action(in: context)) }
    if !names.properties.contains("body") { members += body }
    if !names.types.contains("CaseScope") { members.append(scopes(in: context)) }
    if !names.functions.contains("scope") { members.append(scope) }
    return members
  }

  private func diagnose(in context: some MacroExpansionContext) -> Bool {
    for element in overloaded {
      let message = MacroMessage(
        "overloadedCase",
        "'@Reducer' needs cases with names of their own, and there is another '\(element.name)': "
          + "rename one of them",
      )
      context.diagnose(message.at(element.element.name))
    }
    var isFine = true
    for element in nodes.cases where element.name == "body" && element.parameters.isEmpty {
      let message = MacroMessage(
        "caseNamedBody",
        "'@Reducer' writes a static property 'body' for the enum, so that a case without a value "
          + "cannot be called 'body': rename it",
      )
      context.diagnose(message.at(element.element.name))
      isFine = false
    }
    for type in ["ViewAction", "ReducerAction"] where names.types.contains(type) {
      if names.types.contains("Action") { continue }
      let message = MacroMessage(
        "splitInEnum",
        "'\(type)' is a part of a struct's actions; the actions of an enum reducer are those of "
          + "its cases",
      )
      context.diagnose(message.at(declaration.name))
      isFine = false
    }
    return isFine
  }
}

// MARK: - The text

extension EnumReducer {
  private func state(in context: some MacroExpansionContext) -> DeclSyntax {
    let schemaName = context.qualifiedName(of: declaration.name.text)
    let conformances = ["\(module)CaseReducerState", "\(module)ObservableState"]
    let state = GeneratedEnum(
      access: access,
      isIndirect: isIndirect,
      attributes: ["@dynamicMemberLookup"],
      name: "State",
      inherited: conformances + self.conformances.state,
      body: """
        \(access)typealias StateReducer = \(schemaName)
        \(nodes.text { ReducerCase($0).state })
        """,
      schemaName: schemaName,
    )
    return state.declaration(in: context) { declaration in
      guard let state = StateDeclaration(declaration, in: context) else { return [] }
      let replication = state.isReplicated ? state.replicationMembers(in: context) : []
      return state.observationMembers + replication + [state.hintsMember].compactMap(\.self)
    }
  }

  private func action(in context: some MacroExpansionContext) -> DeclSyntax {
    let isSent = conformances.action.contains {
      ["\(module)WireAction", "\(module)DurableAction"].contains($0)
    }
    let action = GeneratedEnum(
      access: access,
      isIndirect: isIndirect,
      name: "Action",
      inherited: conformances.action,
      body: nodes.text { ReducerCase($0).action(isSent: isSent) },
      schemaName: "\(context.qualifiedName(of: declaration.name.plainText)).Action",
    )
    return action.declaration(in: context)
  }

  private var body: [DeclSyntax] {
    let type: DeclSyntax = """
      \(raw: access)typealias Body = \(raw: module)Reduce<Self.State, Self.Action>
      """
    let body: DeclSyntax = """
      \(raw: access)static var body: \(raw: module)Reduce<Self.State, Self.Action> {
      \(raw: module)Reduce<Self.State, Self.Action>._$cases { cases in
      \(raw: nodes.text { ReducerCase($0).reducer })
      }
      }
      """
    return names.types.contains("Body") ? [body] : [type, body]
  }

  private func scopes(in context: some MacroExpansionContext) -> DeclSyntax {
    let scopes = GeneratedEnum(
      access: access,
      isIndirect: isIndirect,
      attributes: ["@dynamicMemberLookup"],
      name: "CaseScope",
      body: nodes.text { ReducerCase($0).scope },
      schemaName: "CaseScope",
    )
    return scopes.declaration(in: context)
  }

  private var scope: DeclSyntax {
    """
    @MainActor
    \(raw: access)static func scope(
    _ store: \(raw: module)Store<Self.State, Self.Action>
    ) -> CaseScope {
    switch store._$caseState {
    \(raw: nodes.text { ReducerCase($0).scoping })
    }
    }
    """
  }
}
