import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@ViewState`: the state of a view, collected from its properties that hold state, and the view's
/// conformance to `ActionSendable`.
enum ViewStateMacro {
  /// The wrappers of properties that hold a view's state.
  private static let wrappers: Set = [
    "State", "Binding", "FocusState", "AccessibilityFocusState", "AppStorage", "SceneStorage",
    "GestureState", "Published",
  ]
}

extension ViewStateMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext,
  ) throws -> [ExtensionDeclSyntax] {
    let isMissing = protocols.flatMap(\.baseNames).contains("ActionSendable")
    guard declaration.is(StructDeclSyntax.self), isMissing,
      !declaration.inherits("ActionSendable")
    else { return [] }
    let result: DeclSyntax = """
      \(raw: declaration.availability)extension \(type.trimmed): \
      StoreActorSimplex.ActionSendable {}
      """
    return result.as(ExtensionDeclSyntax.self).map { [$0] } ?? []
  }
}

extension ViewStateMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext,
  ) throws -> [DeclSyntax] {
    guard let declaration = declaration.as(StructDeclSyntax.self) else {
      let message = MacroMessage(
        "viewStateOnWrongDeclaration",
        "'@ViewState' can only be applied to a struct: a view with '@State' properties",
      )
      context.diagnose(message.at(declaration.kindToken))
      return []
    }
    let bindings = properties(of: declaration)
    guard diagnose(bindings, in: context) else { return [] }
    return [text(of: declaration, bindings, access: declaration.memberAccess(in: context))]
  }

  private static func properties(of declaration: StructDeclSyntax) -> [PatternBindingSyntax] {
    declaration.memberBlock.members.flatMap { member -> [PatternBindingSyntax] in
      guard
        let variable = member.decl.as(VariableDeclSyntax.self),
        variable.attributes.names.contains(where: wrappers.contains)
      else { return [] }
      return Array(variable.bindings)
    }
  }

  private static func diagnose(
    _ bindings: [PatternBindingSyntax],
    in context: some MacroExpansionContext,
  ) -> Bool {
    var isFine = true
    for binding in bindings where binding.typeAnnotation == nil && binding.initializer == nil {
      let message = MacroMessage(
        "viewStateWithoutType",
        "'@ViewState' copies this property, and needs its type or its value here",
      )
      context.diagnose(message.at(binding.pattern))
      isFine = false
    }
    return isFine
  }

  private static func text(
    of declaration: StructDeclSyntax,
    _ bindings: [PatternBindingSyntax],
    access: String,
  ) -> DeclSyntax {
    let name = declaration.name.text
    let properties = bindings.map { binding -> String in
      let type = binding.typeAnnotation.map { ": \($0.type.trimmedDescription)" } ?? ""
      let value = binding.initializer.map { " = \($0.value.trimmedDescription)" } ?? ""
      return "\(access)var \(binding.pattern.trimmedDescription)\(type)\(value)"
    }
    let pairs = bindings.map { binding -> String in
      let property = binding.pattern.trimmedDescription
      return "\\ViewState.\(property): \\\(name).\(property)"
    }
    let list = pairs.isEmpty ? "[:]" : "[\(pairs.joined(separator: ", "))]"
    return """
      \(raw: access)struct ViewState: StoreActorSimplex.ViewStateProtocol {
      \(raw: properties.joined(separator: "\n"))
      @MainActor
      \(raw: access)static let keyPathMap:
      [Swift.PartialKeyPath<ViewState>: Swift.PartialKeyPath<\(raw: name)>] = \(raw: list)
      }
      """
  }
}
