import SwiftSyntax
import SwiftSyntaxMacros

/// A structure or an enumeration that holds state, as input of a macro.
struct StateDeclaration {
  enum Kind {
    case structure
    case enumeration
  }

  let kind: Kind
  let name: String
  /// The access prefix of an extension's members, so that they can be witnesses: `public `,
  /// `package `, `fileprivate ` or empty.
  let access: String
  let members: MemberBlockItemListSyntax
  let inheritance: InheritanceClauseSyntax?
  /// The type's name in schemas.
  let schemaName: String

  init?(_ declaration: some DeclGroupSyntax, in context: some MacroExpansionContext) {
    let token: TokenSyntax
    if let structure = declaration.as(StructDeclSyntax.self) {
      kind = .structure
      token = structure.name
    } else if let enumeration = declaration.as(EnumDeclSyntax.self) {
      kind = .enumeration
      token = enumeration.name
    } else {
      return nil
    }
    name = token.plainText
    members = declaration.memberBlock.members
    inheritance = declaration.inheritanceClause
    access = Self.access(of: declaration, in: context)
    let feature = members.lazy.compactMap { $0.decl.as(TypeAliasDeclSyntax.self) }
      .first { $0.name.text == "StateReducer" }?.initializer.value.trimmedDescription
    schemaName = Self.schemaName(name, of: feature, in: context)
  }

  /// The access prefix.
  ///
  /// A type without a modifier inside of a private type is private, and the members of an extension
  /// must state this.
  private static func access(
    of declaration: some DeclGroupSyntax,
    in context: some MacroExpansionContext,
  ) -> String {
    let isHidden = context.lexicalContext.contains {
      let modifiers = $0.asProtocol((any DeclGroupSyntax).self)?.modifiers
      return ["private", "fileprivate"].contains(modifiers?.access)
    }
    if isHidden, declaration.modifiers.access == nil { return "fileprivate " }
    return declaration.memberAccess(in: context)
  }

  /// The qualified name of the type; a feature's `State` has the feature's name.
  private static func schemaName(
    _ name: String,
    of feature: String?,
    in context: some MacroExpansionContext,
  ) -> String {
    // For its generated enum, `@Reducer` passes the full name.
    if let feature { return feature }
    let qualified = context.qualifiedName(of: name)
    return qualified.hasSuffix(".State") ? String(qualified.dropLast(".State".count)) : qualified
  }
}

extension StateDeclaration {
  /// Whether the inheritance clause names `DurableState`.
  var isDurable: Bool { inheritance?.inheritedNames.contains("DurableState") ?? false }

  /// Whether the inheritance clause names `ReplicatedState` or `DurableState`, alone or in a
  /// composition, and the macro writes their members.
  var isReplicated: Bool {
    let isNamed = inheritance?.inheritedNames.contains("ReplicatedState") ?? false
    return (isNamed || isDurable)
      && !members.contains { $0.decl.as(FunctionDeclSyntax.self)?.isSchema ?? false }
  }

  /// The members that the store needs of an observed state in addition to the conformance.
  var observationMembers: [String] {
    switch kind {
    case .structure:
      let properties = StoredProperty.all(in: members).filter { !$0.isConditional }
      return [
        // A lazy property has no key path, because reading it changes the state; stores do not read
        // it.
        keyPaths(
          "_$ignoredKeyPaths",
          properties.filter { $0.has("ObservationStateIgnored") && !$0.isLazy },
        ),
        keyPaths("_$lists", properties.filter { $0.isIdentifiedArray && !$0.isWrapped }),
      ].compactMap(\.self)
    case .enumeration:
      let nodes = CaseNode.all(in: members)
      guard !nodes.cases.isEmpty else { return [] }
      return [
        """
        \(access)var _$id: \(module)ObservableStateID {
          switch self {
        \(identities(of: nodes))
          }
        }
        """
      ]
    }
  }

  /// A list of properties, or nil if it is empty.
  private func keyPaths(_ name: String, _ properties: [StoredProperty]) -> String? {
    guard !properties.isEmpty else { return nil }
    let keyPaths = properties.map { "\\Self.\($0.identifier.text)" }.joined(separator: ", ")
    return """
      \(access)static var \(name): [Swift.PartialKeyPath<Self>] {
        [\(keyPaths)]
      }
      """
  }

  private func identities(of nodes: [CaseNode]) -> String {
    var tag = -1
    return nodes.text { element in
      tag += 1
      guard element.parameters.count == 1 else {
        return """
            case .\(element.identifier):
              \(module)ObservableStateID()._$tag(\(tag))
          """
      }
      return """
          case .\(element.identifier)(let value):
            \(module)ObservableStateID._$id(for: value)._$tag(\(tag))
        """
    }
  }
}
