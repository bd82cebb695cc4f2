import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// An action in two parts: cases that a view or a client sends, and cases that only the
/// feature sends.
///
/// `@Reducer` generates the `Action` that has the cases of both.
struct SplitAction {
  private let members: MemberBlockItemListSyntax
  private let access: String
  private let schemaName: String
  private let conformances: [String]
  private let view: Part?
  private let reducer: Part?

  /// One of the two enums.
  private struct Part {
    let declaration: EnumDeclSyntax
    let nodes: [CaseNode]

    var name: String { declaration.name.text }

    init?(_ name: String, in members: MemberBlockItemListSyntax) {
      let enums = members.compactMap { $0.decl.as(EnumDeclSyntax.self) }
      guard let declaration = enums.first(where: { $0.name.plainText == name }) else { return nil }
      self.declaration = declaration
      nodes = CaseNode.all(in: declaration.memberBlock.members)
    }
  }

  /// - Parameters:
  ///   - members: The members of the feature.
  ///   - access: The prefix of each member of the action.
  ///   - schemaName: The action's name in schemas.
  ///   - conformances: The action's conformances in addition to those of its parts.
  init(
    _ members: MemberBlockItemListSyntax,
    access: String,
    schemaName: String,
    conformances: [String] = [],
  ) {
    self.members = members
    self.conformances = conformances
    self.schemaName = schemaName
    self.access = access
    view = Part("ViewAction", in: members)
    reducer = Part("ReducerAction", in: members)
  }

  /// Whether the feature declares one of the two, in any form.
  var isWritten: Bool {
    let names = DeclaredNames(members).types
    return names.contains("ViewAction") || names.contains("ReducerAction")
  }

  /// The merged action; nil after a diagnosed fault.
  func declaration(in context: some MacroExpansionContext) -> DeclSyntax? {
    guard diagnoseKinds(in: context), let view else { return nil }
    guard diagnoseCases(view, in: context), diagnoseTypes(in: context) else { return nil }
    let source = SourceLines(context)
    let isIndirect = [view, reducer].contains {
      $0?.declaration.modifiers.contains("indirect") ?? false
    }
    let parts = [
      cases(of: view, source), reducer.map { cases(of: $0, source) } ?? "", aliases,
      initializer(view) ?? "", reducer.flatMap(initializer) ?? "",
    ]
    let action = GeneratedEnum(
      access: access,
      isIndirect: isIndirect,
      name: "Action",
      inherited: inherited(view, in: context) + conformances,
      body: parts.filter { !$0.isEmpty }.joined(separator: "\n"),
      schemaName: schemaName,
      casesOfReducerAction: storedCases,
    )
    return action.declaration(in: context)
  }
}

// MARK: - The text

extension SplitAction {
  /// Whether the merged action has a form, so that cases without the mark are sent.
  private var hasForm: Bool {
    let parts = [view, reducer].compactMap(\.self)
    return parts.contains {
      $0.declaration.inherits("WireAction") || $0.declaration.inherits("DurableAction")
    }
  }

  /// The cases of the reducer's part, if it has a durable form.
  private var storedCases: Set<String> {
    guard let reducer, reducer.declaration.inherits("DurableAction") else { return [] }
    return Set(reducer.nodes.cases.map(\.name))
  }

  /// Whether clients send the view's part.
  private func isSent(_ part: Part) -> Bool {
    part.name == "ViewAction"
      && (part.declaration.inherits("WireAction") || part.declaration.inherits("DurableAction"))
  }

  private func cases(of part: Part, _ source: SourceLines) -> String {
    let isPrivate = hasForm && !isSent(part)
    return part.nodes.text { element in
      var attributes = element.declaration.attributes.map { "\($0.trimmedDescription)\n" }
      if isPrivate, element.declaration.attributes.attribute(named: "ReplicationIgnored") == nil {
        attributes.append("@\(module)ReplicationIgnored\n")
      }
      let modifiers = element.declaration.modifiers.map { "\($0.trimmedDescription) " }
      let text = element.element.with(\.trailingComma, nil).trimmedDescription
      let line = "\(attributes.joined())\(modifiers.joined())case \(text)"
      guard access(to: part) != access else { return line }
      // A value whose type is less visible than the action is a fault at its place in the source.
      return source.place(line, at: element.element.name).joined(separator: "\n")
    }
  }

  /// Aliases of the types that a part declares, under the names that its cases use.
  private var aliases: String {
    [view, reducer].compactMap(\.self).flatMap { part in
      let access = access(to: part) ?? ""
      return DeclaredNames(part.declaration.memberBlock.members).types.sorted().map {
        "\(access)typealias \($0) = \(part.name).\($0)"
      }
    }.joined(separator: "\n")
  }

  /// The access of a member that mentions a part: the lesser of the part's and the action's.
  ///
  /// Nil for a private part, because only the action could use such a member.
  private func access(to part: Part) -> String? {
    switch part.declaration.modifiers.access {
    case "private": nil
    case "fileprivate": "fileprivate "
    case nil, "internal": ""
    case "package": access.isEmpty ? "" : "package "
    default: access
    }
  }

  /// The initializer from a part's action; omitted for a private part, because it could not
  /// be called.
  private func initializer(_ part: Part) -> String? {
    guard let access = access(to: part) else { return nil }
    let label = part.name == "ViewAction" ? "viewAction" : "reducerAction"
    let cases = part.nodes.text { element in
      let names = element.partNames
      return """
        case \(element.pattern(binding: names)):
        self = \(element.expression(of: names))
        """
    }
    return """
      \(access)init(\(label): \(part.name)) {
      switch \(label) {
      \(cases)
      }
      }
      """
  }
}

// MARK: - Conformances of both parts

extension SplitAction {
  /// The conformances that others imply.
  private static let implied = ["Hashable": ["Equatable"], "Comparable": ["Equatable"]]

  /// The conformances of the merged action: those of both parts, and the wire form of the view's.
  private func inherited(_ view: Part, in context: some MacroExpansionContext) -> [String] {
    let viewTypes = types(of: view)
    guard let reducer else { return viewTypes.map(\.text) }
    let reducerTypes = types(of: reducer)
    diagnose(viewTypes.map(\.name), of: view, missingIn: reducer, in: context)
    diagnose(reducerTypes.map(\.name), of: reducer, missingIn: view, in: context)
    let reducerNames = Self.closure(reducerTypes.map(\.name))
    var result = viewTypes.filter { reducerNames.contains($0.name) || $0.name == "WireAction" }
    // Only the view's part is sent, and both parts are stored.
    if reducerNames.contains("DurableAction") {
      result.removeAll { $0.name == "DurableAction" }
      result += reducerTypes.filter { $0.name == "DurableAction" }
    } else if viewTypes.contains(where: { $0.name == "DurableAction" }) {
      result.append(("WireAction", "\(module)WireAction"))
    }
    let viewNames = Self.closure(viewTypes.map(\.name))
    let known = Self.closure(result.map(\.name))
    result += reducerTypes.filter { viewNames.contains($0.name) && !known.contains($0.name) }
    return result.map(\.text)
  }

  private func types(of part: Part) -> [(name: String, text: String)] {
    let clause = part.declaration.inheritanceClause
    return (clause?.inheritedTypes.map { $0 } ?? []).flatMap { inherited in
      inherited.type.baseNames.compactMap { name in
        if ["CasePathable", "CasePathIterable"].contains(name) { return nil }
        if name == "Codable" { return (name, "Swift.Codable") }
        let isPlain = inherited.type.is(IdentifierTypeSyntax.self)
        return (name, isPlain ? inherited.type.trimmedDescription : name)
      }
    }
  }

  private static func closure(_ names: [String]) -> Set<String> {
    names.reduce(into: []) { result, name in
      result.insert(name)
      result.formUnion(implied[name] ?? [])
    }
  }

  /// Warns if the merged action lacks a conformance because only one part has it.
  private func diagnose(
    _ names: [String],
    of part: Part,
    missingIn other: Part,
    in context: some MacroExpansionContext,
  ) {
    let known = Self.closure(types(of: other).map(\.name))
    // Swift infers the first one; only the view has the second. A view's part without a form is
    // stored like the other part.
    var unneeded: Set = ["Sendable", "WireAction"]
    if part.name == "ReducerAction" { unneeded.insert("DurableAction") }
    for name in names where !known.contains(name) && !unneeded.contains(name) {
      // The rest of the conformance is diagnosed at its own name.
      if let less = Self.implied[name], known.isSuperset(of: less) { continue }
      let message = MacroMessage(
        "splitConformance",
        "'\(other.name)' is not '\(name)' as '\(part.name)' is, so that their 'Action' isn't "
          + "either",
        severity: .warning,
      )
      let fixIt = FixIt(
        message: FixItTitle("addConformance", "Add '\(name)'"),
        changes: [Self.adding(name, to: other.declaration)],
      )
      context.diagnose(message.at(other.declaration.name, fixIts: [fixIt]))
    }
  }

  private static func adding(_ name: String, to declaration: EnumDeclSyntax) -> FixIt.Change {
    var changed = declaration
    var types = declaration.inheritanceClause?.inheritedTypes.map { $0.trimmed } ?? []
    types.append(InheritedTypeSyntax(type: TypeSyntax("\(raw: name)")))
    let texts = types.map { $0.with(\.trailingComma, nil).trimmedDescription }
    changed.name = declaration.name.trimmed
    changed.genericParameterClause = declaration.genericParameterClause?.trimmed
    changed.inheritanceClause = InheritanceClauseSyntax(
      colon: .colonToken(trailingTrivia: .space),
      inheritedTypes: InheritedTypeListSyntax {
        for text in texts { InheritedTypeSyntax(type: TypeSyntax("\(raw: text)")) }
      },
    )
    changed.inheritanceClause?.trailingTrivia = .space
    return .replace(oldNode: Syntax(declaration), newNode: Syntax(changed))
  }
}

// MARK: - Mistakes

extension SplitAction {
  private func diagnoseKinds(in context: some MacroExpansionContext) -> Bool {
    for member in members {
      guard
        let named = member.decl.asProtocol((any NamedDeclSyntax).self),
        ["ViewAction", "ReducerAction"].contains(named.name.plainText),
        !member.decl.is(EnumDeclSyntax.self), !member.decl.is(FunctionDeclSyntax.self)
      else { continue }
      let message = MacroMessage(
        "splitKind",
        "'\(named.name.plainText)' has to be an enum here, whose cases '@Reducer' copies into the "
          + "'Action' that it writes; or write 'Action' yourself",
      )
      context.diagnose(message.at(named.name))
      return false
    }
    guard let reducer, view == nil else { return view != nil }
    let message = MacroMessage(
      "splitWithoutView",
      "'ReducerAction' needs a 'ViewAction' beside it, for the actions of views and clients",
    )
    let written = members.map { member -> MemberBlockItemSyntax in
      guard member.decl.id == reducer.declaration.id else { return member }
      let trivia = member.leadingTrivia
      return member.with(
        \.leadingTrivia,
        trivia + [.unexpectedText("enum ViewAction {}")] + trivia,
      )
    }
    let fixIt = FixIt(
      message: FixItTitle("addViewAction", "Add an empty 'ViewAction'"),
      changes: [
        .replace(
          oldNode: Syntax(members),
          newNode: Syntax(MemberBlockItemListSyntax(written)),
        )
      ],
    )
    context.diagnose(message.at(reducer.declaration.name, fixIts: [fixIt]))
    return false
  }

  /// Diagnoses types that the cases can use but the action cannot, because they are less visible.
  private func diagnoseTypes(in context: some MacroExpansionContext) -> Bool {
    var isFine = true
    for part in [view, reducer].compactMap(\.self) where access(to: part) != access {
      if part.declaration.modifiers.access == "fileprivate", access.isEmpty { continue }
      for member in part.declaration.memberBlock.members {
        guard let type = member.decl.asProtocol((any NamedDeclSyntax).self),
          !member.decl.is(FunctionDeclSyntax.self)
        else { continue }
        let message = MacroMessage(
          "splitHiddenType",
          "'\(type.name.text)' is less visible than the 'Action' that '@Reducer' gives the cases "
            + "of '\(part.name)' to: declare it in the feature, or make '\(part.name)' as visible "
            + "as the feature",
        )
        context.diagnose(message.at(type.name))
        isFine = false
      }
    }
    return isFine
  }

  private func diagnoseCases(_ view: Part, in context: some MacroExpansionContext) -> Bool {
    var isFine = true
    let names = Set(view.nodes.cases.map(\.name))
    for element in reducer?.nodes.cases ?? [] where names.contains(element.name) {
      let message = MacroMessage(
        "splitDuplicate",
        "'ViewAction' has a case '\(element.name)' too, and their 'Action' can have only one: "
          + "rename one of them",
      )
      context.diagnose(message.at(element.element.name))
      isFine = false
    }
    if let reducer, reducer.declaration.inherits("WireAction") {
      let message = MacroMessage(
        "splitWireAction",
        "Only the feature itself sends a 'ReducerAction', so that it has no form on the "
          + "wire: let 'ViewAction' alone be a 'WireAction'",
      )
      context.diagnose(message.at(reducer.declaration.name))
      isFine = false
    }
    return isFine
  }
}
