import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@DependencyClient`: initializers, and `@DependencyEndpoint` for each closure.
enum DependencyClientMacro {}

extension DependencyClientMacro: MemberAttributeMacro {
  static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext,
  ) throws -> [AttributeSyntax] {
    guard declaration.is(StructDeclSyntax.self),
      let variable = member.as(VariableDeclSyntax.self), Endpoint(variable) != nil,
      !variable.attributes.names.contains(where: {
        $0 == "DependencyEndpoint" || $0 == "DependencyEndpointIgnored"
      })
    else { return [] }
    return ["@\(raw: module)DependencyEndpoint"]
  }
}

extension DependencyClientMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext,
  ) throws -> [DeclSyntax] {
    guard let structure = declaration.as(StructDeclSyntax.self) else {
      context.diagnose(wrongDeclaration(declaration, node: node))
      return []
    }
    let properties = StoredProperty.all(in: structure.memberBlock.members)
      .filter { !$0.isConstant && !$0.isLazy && !$0.isConditional }
    guard !properties.contains(where: { $0.type == nil && !$0.hasDefault }) else { return [] }
    let access = structure.modifiers.wideAccess.map { "\($0) " } ?? ""
    let parameters = properties.compactMap(Parameter.init)
    var initializers: [DeclSyntax] = []
    if !parameters.isEmpty { initializers.append(initializer(access, parameters)) }
    // All other properties must have an initial value.
    if properties.allSatisfy({ $0.hasDefault || $0.endpoint != nil }) {
      initializers.append(unimplemented(access, properties, SourceLines(context)))
    }
    return initializers
  }

  /// The initializer that implements no endpoint; otherwise a default would be called without
  /// a report.
  private static func unimplemented(
    _ access: String,
    _ properties: [StoredProperty],
    _ lines: SourceLines,
  ) -> DeclSyntax {
    let assignments = properties.compactMap { property -> String? in
      guard let endpoint = property.endpoint, endpoint.initializer != nil else { return nil }
      return "self.\(endpoint.storage) = \(endpoint.unimplemented(lines))"
    }
    return "\(raw: StateText.function("\(access)init()", assignments))"
  }

  private static func initializer(_ access: String, _ parameters: [Parameter]) -> DeclSyntax {
    let list = parameters.map { "  \($0.declaration)" }.joined(separator: ",\n")
    let assignments = parameters.map { "  self.\($0.name) = \($0.name)" }.joined(separator: "\n")
    return """
      \(raw: access)init(
      \(raw: list)
      ) {
      \(raw: assignments)
      }
      """
  }

  private static func wrongDeclaration(
    _ declaration: some DeclGroupSyntax,
    node: AttributeSyntax,
  ) -> Diagnostic {
    let message = StateMessage(
      "dependencyClientOnWrongDeclaration",
      "'@DependencyClient' can only be applied to a struct, whose closures a test replaces one "
        + "by one",
    )
    guard let group = declaration.as(ClassDeclSyntax.self) else { return message.at(node) }
    let keyword = group.classKeyword
    return message.at(
      node,
      fixIts: [
        .replace("Make it a struct", keyword, by: keyword.with(\.tokenKind, .keyword(.struct)))
      ],
    )
  }
}

extension StoredProperty {
  /// The property as an endpoint; nil if it is not one.
  fileprivate var endpoint: Endpoint? {
    has("DependencyEndpointIgnored") ? nil : Endpoint(declaration)
  }
}

/// A parameter of a client's memberwise initializer.
private struct Parameter {
  let name: String
  let declaration: String

  /// - Returns: Nil if the property is private, or has no explicit type.
  init?(_ property: StoredProperty) {
    let access = property.declaration.modifiers.access
    guard access != "private", access != "fileprivate", let type = property.type else { return nil }
    name = property.identifier.text
    if let endpoint = property.endpoint {
      declaration = "\(name): \(endpoint.parameterType)"
      return
    }
    let binding = property.declaration.bindings.first
    let initialValue = binding?.initializer.map { " \($0.trimmedDescription)" }
    let value = initialValue ?? (property.hasDefault ? " = nil" : "")
    let isFunction = type.function != nil
    declaration = "\(name): \(isFunction ? "@escaping " : "")\(type)\(value)"
  }
}
