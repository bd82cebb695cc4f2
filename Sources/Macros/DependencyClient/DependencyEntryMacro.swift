import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@DependencyEntry`: a property of `DependencyValues` together with its key.
enum DependencyEntryMacro {}

extension DependencyEntryMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext,
  ) throws -> [AccessorDeclSyntax] {
    // The peer expansion diagnoses the fault.
    guard let entry = DependencyEntry(declaration, node, in: context), entry.hasValue else {
      return []
    }
    return [
      """
      get {
        self[\(raw: entry.key).self]
      }
      """,
      """
      set {
        self[\(raw: entry.key).self] = newValue
      }
      """,
    ]
  }
}

extension DependencyEntryMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext,
  ) throws -> [DeclSyntax] {
    guard let entry = DependencyEntry(declaration, node, in: context) else {
      context.diagnose(
        MacroMessage(
          "dependencyEntryOnWrongDeclaration",
          "'@DependencyEntry' can only be applied to a 'var' in an extension of "
            + "'DependencyValues': '@DependencyEntry var facts = FactClient()'",
        ).at(node)
      )
      return []
    }
    guard entry.hasValue else {
      context.diagnose(
        MacroMessage(
          "dependencyEntryWithoutValue",
          "'\(entry.name)' needs a value for tests, as its default, or a 'liveValue'",
        ).at(declaration)
      )
      return []
    }
    return ["\(raw: entry.declaration)"]
  }
}

/// A property with `@DependencyEntry`, and the key that it needs.
private struct DependencyEntry {
  let name: String
  let type: TypeSyntax?
  let test: ExprSyntax?
  let live: ExprSyntax?
  let preview: ExprSyntax?
  private let lines: SourceLines
  /// The name of the key's type.
  let key: String
  /// `public `, `package `, or empty.
  let access: String

  var hasValue: Bool { test != nil || live != nil }

  init?(
    _ declaration: some DeclSyntaxProtocol,
    _ node: AttributeSyntax,
    in context: some MacroExpansionContext,
  ) {
    guard
      let variable = declaration.as(VariableDeclSyntax.self),
      variable.bindingSpecifier.tokenKind == .keyword(.var),
      let binding = variable.bindings.first, variable.bindings.count == 1,
      let pattern = binding.pattern.as(IdentifierPatternSyntax.self),
      let around = context.lexicalContext.first?.as(ExtensionDeclSyntax.self),
      around.extendedType.baseNames == ["DependencyValues"]
    else { return nil }
    name = pattern.identifier.plainText
    type = binding.typeAnnotation?.type.trimmed
    // With their place in the source, so that the compiler's messages refer to it.
    test = binding.initializer?.value
    live = node.attachedArgument(labelled: "liveValue")
    preview = node.attachedArgument(labelled: "previewValue")
    lines = SourceLines(context)
    let own = variable.modifiers.access == nil ? around.modifiers : variable.modifiers
    access = own.wideAccess.map { "\($0) " } ?? ""
    let bare = type?.as(SomeOrAnyTypeSyntax.self)?.constraint ?? type
    let words = bare?.baseNames.filter { $0.allSatisfy { $0.isLetter || $0.isNumber } } ?? []
    let subject = words.isEmpty ? name.prefix(1).uppercased() + name.dropFirst() : words.joined()
    key = node.text(labelled: nil) ?? (access.isEmpty ? "__Key_\(name)" : "\(subject)Key")
  }

  /// The key.
  var declaration: String {
    let values = [("liveValue", live), ("previewValue", preview), ("testValue", test)]
    let members = values.flatMap { name, value in value.map { member(name, $0) } ?? [] }
    return """
      \(access.isEmpty ? "private " : access)nonisolated enum \(key): \
      \(module)\(live == nil ? "TestDependencyKey" : "DependencyKey") {
      \(type.map { "\(access)typealias Value = \($0)\n" } ?? "")\
      \(members.joined(separator: "\n"))
      }
      """
  }

  private func member(_ name: String, _ value: ExprSyntax) -> [String] {
    let text = value.trimmedDescription
    // A property without a type cannot be computed.
    guard type != nil else {
      return lines.place("\(access)static let \(name) = \(text)", at: value)
    }
    return ["\(access)static var \(name): Value {"] + lines.place(text, at: value) + ["}"]
  }
}
