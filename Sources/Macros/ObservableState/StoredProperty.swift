import SwiftSyntax

/// A stored property of a structure.
struct StoredProperty {
  /// The name in its source form, including backticks.
  let identifier: TokenSyntax
  /// The explicit type, if there is one.
  let type: TypeSyntax?
  let isLet: Bool
  /// Whether `willSet` or `didSet` runs when the property is set outside of an initializer.
  let isObserved: Bool
  /// The expression after the `=`.
  let defaultValue: ExprSyntax?
  /// Whether there is an expression after the `=`, or nil is implicit.
  fileprivate let isInitialized: Bool
  /// Whether the property is inside of `#if`.
  let isConditional: Bool
  let declaration: VariableDeclSyntax

  var name: String { identifier.plainText }

  /// Whether the declaration provides a value.
  var hasDefault: Bool { isInitialized || declaration.sharedArguments != nil }

  /// A `let` with a value is the same in all values, so it is not part of them.
  var isConstant: Bool { isLet && hasDefault }

  var isLazy: Bool { declaration.modifiers.contains("lazy") }

  /// Whether the declaration names an identified array.
  var isIdentifiedArray: Bool {
    let text = type?.trimmedDescription ?? defaultValue?.trimmedDescription ?? ""
    let name = text.prefix { $0 != "<" }.split(separator: ".").last
    return ["IdentifiedArray", "IdentifiedArrayOf"].contains(name) && !text.hasSuffix("?")
  }

  /// Whether it refers to a shared value.
  var isShared: Bool { has("Shared") || has("SharedReader") }

  /// Whether it refers to the shared value of a key.
  var hasSharedKey: Bool { declaration.sharedArguments?.first.map { $0.label == nil } ?? false }

  func has(_ attribute: String) -> Bool {
    declaration.attributes.attribute(named: attribute) != nil
  }

  /// Macros of properties that keep the property stored under its own name.
  private static let markers: Set<String> = [
    "DurableAsCodable", "DurableIgnored", "ObservationStateIgnored", "ObservationStateTracked",
    "Replicated", "ReplicatedAsCodable", "ReplicationIgnored",
  ]

  /// Whether the stored variable has a leading underscore: for a property wrapper, or `@Presents`.
  var isWrapped: Bool {
    declaration.attributes.names.contains { name in
      name.first?.isUppercase == true && !Self.markers.contains(name)
    }
  }

  /// The expression that accesses the stored value.
  var storage: String { isWrapped ? "_\(name)" : identifier.text }
}

extension StoredProperty {
  /// The stored properties of a declaration in order.
  static func all(in members: MemberBlockItemListSyntax) -> [StoredProperty] {
    members.flatMap { properties(of: $0.decl, isConditional: false) }
  }

  private static func properties(of decl: DeclSyntax, isConditional: Bool) -> [StoredProperty] {
    if let variable = decl.as(VariableDeclSyntax.self) {
      return properties(of: variable, isConditional: isConditional)
    }
    guard let conditional = decl.as(IfConfigDeclSyntax.self) else { return [] }
    return conditional.clauses.flatMap { clause -> [StoredProperty] in
      guard case .decls(let members)? = clause.elements else { return [] }
      return members.flatMap { properties(of: $0.decl, isConditional: true) }
    }
  }

  private static func properties(
    of variable: VariableDeclSyntax,
    isConditional: Bool,
  ) -> [StoredProperty] {
    guard !variable.modifiers.contains("static"), !variable.modifiers.contains("class") else {
      return []
    }
    let isLet = variable.bindingSpecifier.tokenKind == .keyword(.let)
    var properties: [StoredProperty] = []
    // In `var a, b: Int` only the last binding has the type.
    var type: TypeSyntax?
    for binding in variable.bindings.reversed() {
      type = binding.typeAnnotation?.type ?? (binding.initializer == nil ? type : nil)
      guard binding.isStored, let name = binding.pattern.as(IdentifierPatternSyntax.self) else {
        continue
      }
      let isImplicitlyNil =
        !isLet
        && (type?.is(OptionalTypeSyntax.self) == true
          || type?.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) == true)
      properties.append(
        StoredProperty(
          identifier: name.identifier.trimmed,
          type: type?.trimmed,
          isLet: isLet,
          isObserved: binding.accessorBlock != nil,
          defaultValue: binding.initializer?.value.trimmed,
          isInitialized: binding.initializer != nil || isImplicitlyNil,
          isConditional: isConditional,
          declaration: variable,
        )
      )
    }
    return properties.reversed()
  }
}

extension VariableDeclSyntax {
  /// The arguments of `@Shared` or `@SharedReader`; nil without such an attribute, or
  /// without arguments.
  var sharedArguments: LabeledExprListSyntax? {
    let attribute =
      attributes.attribute(named: "Shared") ?? attributes.attribute(named: "SharedReader")
    guard case .argumentList(let arguments)? = attribute?.arguments else { return nil }
    return arguments
  }
}

extension PatternBindingSyntax {
  /// Whether the property is stored: it has no accessors, or only observers.
  var isStored: Bool {
    guard let accessors = accessorBlock?.accessors else { return true }
    guard case .accessors(let list) = accessors else { return false }
    return list.allSatisfy {
      [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind)
    }
  }
}
