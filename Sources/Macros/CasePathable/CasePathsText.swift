import SwiftSyntax
import SwiftSyntaxBuilder

/// The text of an enum's case paths.
struct CasePathsText {
  let nodes: [CaseNode]
  /// The enum's name in its source form.
  let name: String
  /// The prefix of each member: `public `, `package `, or empty.
  let access: String

  /// The type of the case paths, and the declarations that it needs.
  var declarations: [DeclSyntax] {
    let type: DeclSyntax = """
      \(raw: access)nonisolated struct AllCasePaths: \(raw: module)_GeneratedCasePaths {
      \(raw: members)
      }
      """
    return [type] + aliases + hiddenCases
  }

  private var members: String {
    let properties = nodes.text(property)
    return ["\(access)init() {}", reflection, properties, list].filter { !$0.isEmpty }
      .joined(separator: "\n")
  }

  /// The key path of a value's case.
  private var reflection: String {
    """
    \(deprecation)\(access)subscript(root: \(name)) -> \(module)PartialCaseKeyPath<\(name)> {
    \(reflectionBody)
    }
    """
  }

  private var reflectionBody: String {
    // The compiler warns of unreachable code in a switch without cases.
    if nodes.isEmpty { return "\\.never" }
    let cases = nodes.cases
    let isPlain = cases.allSatisfy(\.availability.isEmpty)
    // The compiler rejects a switch over values that cannot exist because of their payloads.
    if isPlain, cases.contains(where: \.parameters.isEmpty) { return reflectionSwitch }
    let last = nodes.last { node in
      if case .element(let element) = node { element.availability.isEmpty } else { false }
    }
    guard case .element(let last)? = last else { return reflectionSwitch }
    let others = nodes.text { element in
      if element.isUnavailable || element.element.id == last.element.id { return nil }
      let condition = element.condition.map { "\($0), " } ?? ""
      return "if \(condition)case .\(element.identifier) = root { return \\.\(element.identifier) }"
    }
    return [others, "return \\.\(last.identifier)"].filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private var reflectionSwitch: String {
    let cases = nodes.text { "case .\($0.identifier): return \\.\($0.identifier)" }
    return "switch root {\n\(cases)\n}"
  }

  private var list: String {
    let lines = nodes.text { element in
      if element.isUnavailable { return nil }
      let line = "list.append(\\.\(element.identifier))"
      return element.condition.map { "if \($0) { \(line) }" } ?? line
    }
    let type = "[\(module)PartialCaseKeyPath<\(name)>]"
    let head = "\(deprecation)\(access)var _$list: \(type) {"
    guard !lines.isEmpty else { return "\(head)\n[]\n}" }
    return """
      \(head)
      var list: \(type) = []
      list.reserveCapacity(\(nodes.cases.count))
      \(lines)
      return list
      }
      """
  }

  /// A declaration that mentions a deprecated case must be deprecated, or the compiler warns.
  private var deprecation: String {
    guard nodes.cases.contains(where: \.isDeprecated) else { return "" }
    return "@available(*, deprecated, message: \"It mentions cases that are.\")\n"
  }
}

// MARK: - One case

extension CasePathsText {
  private func property(_ element: EnumCase) -> String {
    let value = valueType(of: element)
    let names = element.partNames
    let pattern = element.pattern(binding: names)
    return """
      \(element.availability)\(access)var \(element.identifier): \
      \(module)AnyCasePath<\(name), \(value)> {
      \(module)AnyCasePath<\(name), \(value)>(
      _$name: "\(element.name)",
      embed: \(embedding(element)),
      extract: {
      guard case \(pattern) = $0 else { return nil }
      return \(extraction(element))
      }
      )
      }
      """
  }

  private func embedding(_ element: EnumCase) -> String {
    switch element.parameters.count {
    case 0: return "{ \(name).\(element.identifier) }"
    case 1:
      // A closure would cause a compiler warning if no value can exist.
      let label = element.parameters[0].label.map { "(\($0):)" } ?? ""
      return "\(name).\(element.identifier)\(label)"
    default:
      let values = element.parameters.indices.map { "$0.\($0)" }
      return "{ \(name)\(element.expression(of: values)) }"
    }
  }

  private func extraction(_ element: EnumCase) -> String {
    let names = element.partNames
    switch names.count {
    case 0: return "()"
    case 1: return names[0]
    default:
      let parts = zip(element.parameters, names).map { parameter, name in
        parameter.label.map { "\($0): \(name)" } ?? name
      }
      return "(\(parts.joined(separator: ", ")))"
    }
  }

  private func valueType(of element: EnumCase) -> String {
    let types = element.parameters.map { renamed($0.type) }
    switch types.count {
    case 0: return "Swift.Void"
    case 1: return types[0]
    default:
      let parts = zip(element.parameters, types).map { parameter, type in
        parameter.label.map { "\($0): \(type)" } ?? type
      }
      return "(\(parts.joined(separator: ", ")))"
    }
  }
}

// MARK: - Names that methods have

extension CasePathsText {
  /// Names of instance methods that an enum has by the protocols of generated code and by
  /// `Hashable`.
  ///
  /// A method hides a case of the same name from dynamic lookup, even if only a property fits, as
  /// in `\.delta`. An explicit property is found besides both.
  private static let methods: Set<String> = [
    "applyDelta", "applying", "delta", "encode", "encodeDelta", "encoded", "hash", "is", "modify",
  ]

  /// The properties of cases that share their name with a method.
  private var hiddenCases: [DeclSyntax] {
    nodes.compactMap { node in
      let text = [node].text { Self.methods.contains($0.name) ? hiddenCase($0) : nil }
      return text.isEmpty ? nil : "\(raw: text)"
    }
  }

  private func hiddenCase(_ element: EnumCase) -> String? {
    if element.isUnavailable { return nil }
    let types = element.parameters.map { $0.label.map { "\($0): " } ?? "" }
    let parts = zip(types, element.parameters).map { "\($0)\($1.type.trimmedDescription)" }
    let value =
      switch element.parameters.count {
      case 0: "Swift.Void"
      case 1: element.parameters[0].type.trimmedDescription
      default: parts.joined(separator: ", ")
      }
    return """
      \(element.availability)\(access)nonisolated var \(element.identifier): (\(value))? {
      Self.allCasePaths.\(element.identifier).extract(from: self)
      }
      """
  }
}

// MARK: - Names that mean something else inside of `AllCasePaths`

extension CasePathsText {
  /// Names of types that `AllCasePaths` has by its own conformances.
  static let taken = ["Element", "Iterator", "Root"]

  private var aliases: [DeclSyntax] {
    let used = nodes.cases.flatMap { element in
      element.parameters.flatMap { NameFinder.names(in: $0.type) }
    }
    return Self.taken.filter(used.contains).map { taken in
      "\(raw: access)typealias _$\(raw: taken) = \(raw: taken)"
    }
  }

  private func renamed(_ type: TypeSyntax) -> String {
    NameReplacer(self: name).visit(type).trimmedDescription
  }
}

/// The unqualified names in a type.
private final class NameFinder: SyntaxVisitor {
  private var names: [String] = []

  static func names(in type: TypeSyntax) -> [String] {
    let finder = NameFinder(viewMode: .sourceAccurate)
    finder.walk(type)
    return finder.names
  }

  override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
    names.append(node.name.text)
    return .visitChildren
  }
}

/// Replaces `Self` and the names that are taken inside of `AllCasePaths` by their meanings in
/// the enum.
private final class NameReplacer: SyntaxRewriter {
  private let name: String

  init(self name: String) {
    self.name = name
    super.init(viewMode: .sourceAccurate)
  }

  override func visit(_ node: IdentifierTypeSyntax) -> TypeSyntax {
    let visited = super.visit(node)
    guard let node = visited.as(IdentifierTypeSyntax.self) else { return visited }
    if node.name.text == "Self" {
      return TypeSyntax(node.with(\.name.tokenKind, .identifier(name)))
    }
    guard CasePathsText.taken.contains(node.name.text) else { return visited }
    return TypeSyntax(node.with(\.name.tokenKind, .identifier("_$\(node.name.text)")))
  }
}
