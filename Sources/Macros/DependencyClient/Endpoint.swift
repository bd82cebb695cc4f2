import SwiftDiagnostics
import SwiftSyntax

/// A property of a dependency client that holds a closure.
struct Endpoint {
  let identifier: TokenSyntax
  /// The type in its source form.
  let type: TypeSyntax
  let function: FunctionTypeSyntax
  /// The attributes of the type, like `@Sendable` and `@MainActor`.
  let typeAttributes: [String]
  let initializer: InitializerClauseSyntax?
  let access: String

  var name: String { identifier.plainText }
  var storage: String { "_\(name)" }

  /// - Returns: Nil if the property does not hold a closure.
  init?(_ variable: VariableDeclSyntax) {
    guard variable.bindings.count == 1, let binding = variable.bindings.first, binding.isStored,
      variable.bindingSpecifier.tokenKind == .keyword(.var),
      !variable.modifiers.contains("static"),
      let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier,
      let type = binding.typeAnnotation?.type,
      let function = type.function
    else { return nil }
    identifier = name.trimmed
    self.type = type.trimmed
    self.function = function
    typeAttributes = type.attributeNames
    initializer = binding.initializer
    access = variable.modifiers.access.map { "\($0) " } ?? ""
  }

  var isAsync: Bool { function.effectSpecifiers?.asyncSpecifier != nil }

  var throwsClause: ThrowsClauseSyntax? {
    // `throws(Never)` cannot throw.
    guard let clause = function.effectSpecifiers?.throwsClause,
      clause.type?.trimmedDescription != "Never"
    else { return nil }
    return clause
  }

  var returnsNothing: Bool {
    ["Void", "()", "Swift.Void"].contains(function.returnClause.type.trimmedDescription)
  }

  var returnsOptional: Bool {
    let type = function.returnClause.type
    return type.is(OptionalTypeSyntax.self)
      || type.as(IdentifierTypeSyntax.self).map {
        $0.name.text == "Optional" && $0.genericArgumentClause != nil
      } == true
  }

  /// Whether it can throw any error, and so the error for an unimplemented endpoint.
  var throwsAnyError: Bool { throwsClause.map { $0.type == nil } ?? false }

  /// Whether an unimplemented endpoint needs a default for its result.
  var needsDefault: Bool { !returnsNothing && !returnsOptional && !throwsAnyError }

  /// The type of an initializer's parameter.
  var parameterType: String {
    type.is(IdentifierTypeSyntax.self) ? "\(type)" : "@escaping \(type)"
  }
}

extension ExprSyntax {
  /// Whether it is a call that does not return, and so needs no `return`.
  fileprivate var isEnd: Bool {
    let call = self.as(FunctionCallExprSyntax.self)
    let name = call?.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text
    return ["fatalError", "preconditionFailure"].contains(name)
  }
}

extension TypeSyntax {
  /// The function type within attributes and parentheses.
  var function: FunctionTypeSyntax? {
    if let attributed = self.as(AttributedTypeSyntax.self) { return attributed.baseType.function }
    if let tuple = self.as(TupleTypeSyntax.self), tuple.elements.count == 1 {
      return tuple.elements.first?.type.function
    }
    return self.as(FunctionTypeSyntax.self)
  }

  fileprivate var attributeNames: [String] {
    if let attributed = self.as(AttributedTypeSyntax.self) {
      return attributed.attributes.map(\.trimmedDescription) + attributed.baseType.attributeNames
    }
    if let tuple = self.as(TupleTypeSyntax.self), tuple.elements.count == 1 {
      return tuple.elements.first?.type.attributeNames ?? []
    }
    return []
  }
}

// MARK: - The unimplemented closure

extension Endpoint {
  /// The closure that reports an unimplemented endpoint.
  ///
  /// - Parameter lines: The place of the author's default, to which the compiler's messages refer.
  /// - Returns: The closure.
  func unimplemented(_ lines: SourceLines) -> String {
    let report = "\(module)_$unimplementedEndpoint(\"\\(Self.self).\(name)\")"
    guard let value = initializer?.value else {
      let end = throwsAnyError ? "\n  throw \(error)" : returnsOptional ? "\n  return nil" : ""
      return "{\(wildcards)\n  \(report)\(end)\n}"
    }
    guard let closure = value.as(ClosureExprSyntax.self) else {
      return value.trimmedDescription
    }
    let signature = closure.signature.map { " \($0.trimmedDescription)" } ?? ""
    return "{\(signature)\n  \(report)\n\(body(of: closure, lines))\n}"
  }

  private var error: String { "\(module)Unimplemented(\"\\(Self.self).\(name)\")" }

  private var wildcards: String {
    let count = function.parameters.count
    return count == 0 ? "" : " \(Array(repeating: "_", count: count).joined(separator: ", ")) in"
  }

  /// A single expression needs an explicit `return`, because another statement precedes it.
  private func body(of closure: ClosureExprSyntax, _ lines: SourceLines) -> String {
    let statements = closure.statements
    guard statements.count == 1, let only = statements.first, case .expr(let value) = only.item,
      !returnsNothing, !value.isEnd
    else {
      return statements.flatMap { lines.place("  \($0.trimmedDescription)", at: $0) }
        .joined(separator: "\n")
    }
    return lines.place("  return \(value.trimmedDescription)", at: value).joined(separator: "\n")
  }
}

// MARK: - The method

extension Endpoint {
  /// The method with the labels of the closure's type, or with the requested name.
  func method(named requested: String?) -> String? {
    let parameters = Array(function.parameters)
    let hasLabels = parameters.contains { $0.secondName != nil || $0.firstName != nil }
    guard requested != nil || hasLabels else { return nil }
    let list = parameters.enumerated().map { place, parameter in
      let type = "p\(place): \(parameter.type.trimmedDescription)"
      guard let label = Self.label(of: parameter) else { return "_ \(type)" }
      return "\(label) \(type)"
    }
    let arguments = parameters.enumerated().map { place, parameter in
      Self.isInout(parameter) ? "&p\(place)" : "p\(place)"
    }
    let effects = function.effectSpecifiers.map { " \($0.trimmedDescription)" } ?? ""
    let result = returnsNothing ? "" : " \(function.returnClause.trimmedDescription)"
    let call = throwsClause == nil ? "" : "try "
    return """
      \(attributes)\(access)func \(requested ?? identifier.text)(\
      \(list.joined(separator: ", ")))\(effects)\(result) {
        \(call)\(isAsync ? "await " : "")self.\(storage)(\(arguments.joined(separator: ", ")))
      }
      """
  }

  /// The attributes that a method can also have: global actors.
  private var attributes: String {
    typeAttributes.filter { !["@Sendable", "@concurrent"].contains($0) }.map { "\($0) " }.joined()
  }

  private static func label(of parameter: TupleTypeElementSyntax) -> String? {
    guard let label = parameter.secondName ?? parameter.firstName, label.text != "_" else {
      return nil
    }
    return label.text
  }

  private static func isInout(_ parameter: TupleTypeElementSyntax) -> Bool {
    guard let attributed = parameter.type.as(AttributedTypeSyntax.self) else { return false }
    return attributed.specifiers.contains { $0.trimmedDescription == "inout" }
  }
}
