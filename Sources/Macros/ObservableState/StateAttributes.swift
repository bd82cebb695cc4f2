import SwiftSyntax

extension AttributeListSyntax {
  /// The attribute with the given name, with or without its module.
  func attribute(named name: String) -> AttributeSyntax? {
    for element in self {
      guard case .attribute(let attribute) = element, attribute.baseName == name else { continue }
      return attribute
    }
    return nil
  }

  /// The names of all attributes, without their modules.
  var names: [String] {
    compactMap { element in
      guard case .attribute(let attribute) = element else { return nil }
      return attribute.baseName
    }
  }
}

extension AttributeSyntax {
  /// The attribute's name without its module.
  var baseName: String {
    if let member = attributeName.as(MemberTypeSyntax.self) { return member.name.text }
    if let identifier = attributeName.as(IdentifierTypeSyntax.self) { return identifier.name.text }
    return attributeName.trimmedDescription
  }

  /// The text of the string literal with a label.
  func text(labelled label: String?) -> String? {
    let literal = argument(labelled: label)?.as(StringLiteralExprSyntax.self)
    guard literal?.segments.count == 1,
      case .stringSegment(let segment)? = literal?.segments.first
    else { return nil }
    return segment.content.text
  }

  /// The argument with a label, or the first one without a label.
  func argument(labelled label: String?) -> ExprSyntax? {
    attachedArgument(labelled: label)?.trimmed
  }

  /// The argument with a label, or the first one without a label, attached to its source.
  func attachedArgument(labelled label: String?) -> ExprSyntax? {
    guard case .argumentList(let arguments)? = arguments else { return nil }
    return arguments.first { $0.label?.text == label }?.expression
  }
}

extension DeclModifierListSyntax {
  /// The access modifiers that a generated member repeats: `public` and `package`.
  var wideAccess: String? {
    lazy.map(\.name.text).first { ["public", "package"].contains($0) }
  }

  /// Any access modifier, except a setter's.
  var access: String? {
    let levels = ["open", "public", "package", "internal", "fileprivate", "private"]
    return first { $0.detail == nil && levels.contains($0.name.text) }?.name.text
  }

  func contains(_ keyword: String) -> Bool { contains { $0.name.text == keyword } }
}

extension TokenSyntax {
  /// The identifier without the backticks around it.
  var plainText: String {
    text.hasPrefix("`") && text.hasSuffix("`") ? String(text.dropFirst().dropLast()) : text
  }
}
