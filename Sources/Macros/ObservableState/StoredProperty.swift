import SwiftSyntax

/// A property of a structure that takes memory in it.
struct StoredProperty {
  /// The name as it is written, with backticks where it has them.
  let identifier: TokenSyntax
  /// The type that is written beside it, if one is.
  let type: TypeSyntax?
  let isLet: Bool
  /// Whether `willSet` or `didSet` runs when the property is set outside of an initializer.
  let isObserved: Bool
  /// The expression behind the `=`.
  let defaultValue: ExprSyntax?
  /// Whether there is an expression behind the `=`, or none is needed for nil.
  fileprivate let isInitialized: Bool
  /// Whether it stands in `#if`.
  let isConditional: Bool
  let declaration: VariableDeclSyntax

  var name: String { identifier.plainText }

  /// Whether the declaration gives a value.
  var hasDefault: Bool { isInitialized || declaration.sharedArguments != nil }

  /// A `let` with a value is the same in all values, so it is no part of them.
  var isConstant: Bool { isLet && hasDefault }

  var isLazy: Bool { declaration.modifiers.contains("lazy") }

  /// Whether the declaration says that it is an identified array.
  var isIdentifiedArray: Bool {
    let text = type?.trimmedDescription ?? defaultValue?.trimmedDescription ?? ""
    let name = text.prefix { $0 != "<" }.split(separator: ".").last
    return ["IdentifiedArray", "IdentifiedArrayOf"].contains(name) && !text.hasSuffix("?")
  }

  /// Whether it shows a shared value.
  var isShared: Bool { has("Shared") || has("SharedReader") }

  /// Whether it shows the shared value of a key.
  var hasSharedKey: Bool { declaration.sharedArguments?.first.map { $0.label == nil } ?? false }

  func has(_ attribute: String) -> Bool {
    declaration.attributes.attribute(named: attribute) != nil
  }

  /// The macros of properties that leave the property stored under its own name.
  private static let markers: Set<String> = [
    "DurableAsCodable", "DurableIgnored", "ObservationStateIgnored", "ObservationStateTracked",
    "Replicated", "ReplicatedAsCodable", "ReplicationIgnored",
  ]

  /// Whether what is stored has the name with an underscore: a property wrapper, or `@Presents`.
  var isWrapped: Bool {
    declaration.attributes.names.contains { name in
      name.first?.isUppercase == true && !Self.markers.contains(name)
    }
  }

  /// What to read and to write to get at the stored value.
  var storage: String { isWrapped ? "_\(name)" : identifier.text }
}

extension StoredProperty {
  /// The stored properties of a declaration in their order.
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
    // In `var a, b: Int` the type stands beside the last one only.
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
  /// The arguments of `@Shared` or `@SharedReader`; nil of a property that is neither, and where
  /// there are none.
  var sharedArguments: LabeledExprListSyntax? {
    let attribute =
      attributes.attribute(named: "Shared") ?? attributes.attribute(named: "SharedReader")
    guard case .argumentList(let arguments)? = attribute?.arguments else { return nil }
    return arguments
  }
}

extension PatternBindingSyntax {
  /// Whether the property takes memory: it has no accessors, or only those that observe it.
  var isStored: Bool {
    guard let accessors = accessorBlock?.accessors else { return true }
    guard case .accessors(let list) = accessors else { return false }
    return list.allSatisfy {
      [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind)
    }
  }
}
