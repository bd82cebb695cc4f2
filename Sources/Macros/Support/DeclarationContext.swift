import SwiftSyntax
import SwiftSyntaxMacros

extension DeclGroupSyntax {
  /// The access prefix that makes generated members as visible as their type: `public `, `package
  /// `, or empty.
  func memberAccess(in context: some MacroExpansionContext) -> String {
    if modifiers.access != nil { return modifiers.wideAccess.map { "\($0) " } ?? "" }
    // A `public extension` makes its members public.
    let outer = context.lexicalContext.first?.as(ExtensionDeclSyntax.self)
    return outer?.modifiers.wideAccess.map { "\($0) " } ?? ""
  }

  /// Diagnoses a type that no extension can name, because it is private within another type.
  ///
  /// - Parameters:
  ///   - node: The macro that needs an extension.
  ///   - context: The receiver of the message.
  /// - Returns: Whether there is such a fault.
  func diagnosePrivate(_ node: AttributeSyntax, in context: some MacroExpansionContext) -> Bool {
    // The outermost type is visible in its file, even if it is private.
    let around = context.lexicalContext.compactMap { $0.asProtocol((any DeclGroupSyntax).self) }
    let types: [any DeclGroupSyntax] = [self] + around
    let inner = types.dropLast()
    guard let hidden = inner.first(where: { $0.modifiers.access == "private" }) else {
      return false
    }
    let name = hidden.asProtocol((any NamedDeclSyntax).self)?.name
    let message = MacroMessage(
      "privateInType",
      "'\(name?.plainText ?? "It")' is private within another type, so that the extension which "
        + "'@\(node.baseName)' writes cannot name it: make it 'fileprivate'",
    )
    context.diagnose(message.at(kindToken))
    return true
  }

  /// Whether the inheritance clause names a protocol, alone or in a composition.
  func inherits(_ name: String) -> Bool {
    inheritanceClause?.inheritedNames.contains(name) ?? false
  }

  /// The availability attributes of the type, each with a line break.
  var availability: String {
    let attributes = attributes.compactMap { element -> String? in
      guard case .attribute(let attribute) = element, attribute.baseName == "available" else {
        return nil
      }
      return attribute.trimmedDescription
    }
    return attributes.map { "\($0)\n" }.joined()
  }
}

extension InheritanceClauseSyntax {
  /// The names of inherited types without their modules; a composition counts as its parts.
  var inheritedNames: [String] {
    inheritedTypes.flatMap { $0.type.baseNames }
  }
}

extension TypeSyntax {
  /// The type's name without its module; of a composition, the names of its parts.
  var baseNames: [String] {
    if let composition = self.as(CompositionTypeSyntax.self) {
      return composition.elements.flatMap { $0.type.baseNames }
    }
    if let attributed = self.as(AttributedTypeSyntax.self) {
      return attributed.baseType.baseNames
    }
    if let tuple = self.as(TupleTypeSyntax.self), tuple.elements.count == 1 {
      return tuple.elements.first?.type.baseNames ?? []
    }
    if let member = self.as(MemberTypeSyntax.self) { return [member.name.plainText] }
    if let identifier = self.as(IdentifierTypeSyntax.self) { return [identifier.name.plainText] }
    return [trimmedDescription]
  }
}

extension MacroExpansionContext {
  /// The names of the enclosing types and the declaration, such as `Todos.Action`.
  func qualifiedName(of name: String) -> String {
    var names = lexicalContext.reversed().compactMap { syntax -> String? in
      if let type = syntax.as(ExtensionDeclSyntax.self)?.extendedType {
        return type.trimmedDescription
      }
      guard syntax.isProtocol((any DeclGroupSyntax).self) else { return nil }
      return syntax.asProtocol((any NamedDeclSyntax).self)?.name.plainText
    }
    names.append(name)
    return names.joined(separator: ".")
  }
}
