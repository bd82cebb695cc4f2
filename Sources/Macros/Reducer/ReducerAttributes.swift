import SwiftSyntax
import SwiftSyntaxBuilder

/// Attributes for the members of a feature.
enum ReducerAttributes {
  /// Case paths for a feature's actions, and for its state if that is an enum.
  static func attributes(of declaration: EnumDeclSyntax) -> [AttributeSyntax] {
    let wanted: [String] =
      switch declaration.name.plainText {
      case "Action": ["CasePathable"]
      case "State": ["CasePathable", "dynamicMemberLookup"]
      // Case paths generate the form that the declaration requires.
      case "ViewAction" where declaration.inherits("WireAction"): ["CasePathable"]
      case "ViewAction" where declaration.inherits("DurableAction"): ["CasePathable"]
      case "ReducerAction" where declaration.inherits("DurableAction"): ["CasePathable"]
      default: []
      }
    return wanted.filter { declaration.attributes.attribute(named: $0) == nil }.map { name in
      name == "CasePathable" ? "@\(raw: module)CasePathable" : "@\(raw: name)"
    }
  }

  /// The builder for a body, because the conformance in an extension does not provide it.
  static func attributes(of declaration: VariableDeclSyntax) -> [AttributeSyntax] {
    guard
      declaration.bindingSpecifier.tokenKind == .keyword(.var),
      declaration.bindings.count == 1,
      let binding = declaration.bindings.first,
      binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text == "body",
      declaration.attributes.attribute(named: "ReducerBuilder") == nil,
      let accessors = binding.accessorBlock, !accessors.returnsExplicitly,
      let types = reducedTypes(by: declaration)
    else { return [] }
    return ["@\(raw: module)ReducerBuilder<\(raw: types.state), \(raw: types.action)>"]
  }

  /// The state and the action in the type of a body, `some Reducer<State, Action>`.
  static func reducedTypes(by body: VariableDeclSyntax) -> (state: String, action: String)? {
    let annotation = body.bindings.first?.typeAnnotation?.type
    guard let type = annotation?.as(SomeOrAnyTypeSyntax.self)?.constraint else { return nil }
    let arguments =
      type.as(IdentifierTypeSyntax.self)?.genericArgumentClause?.arguments
      ?? type.as(MemberTypeSyntax.self)?.genericArgumentClause?.arguments
    guard let arguments else { return nil }
    let texts = arguments.map { $0.with(\.trailingComma, nil).trimmedDescription }
    switch type.baseNames {
    case ["ReducerOf"] where texts.count == 1:
      return ("\(texts[0]).State", "\(texts[0]).Action")
    case ["Reducer"] where texts.count == 2: return (texts[0], texts[1])
    default: return nil
    }
  }
}

extension AccessorBlockSyntax {
  /// Whether there is a top-level `return`, which disables a builder.
  fileprivate var returnsExplicitly: Bool {
    guard case .getter(let items) = accessors else { return false }
    return items.contains { $0.item.is(ReturnStmtSyntax.self) }
  }
}
