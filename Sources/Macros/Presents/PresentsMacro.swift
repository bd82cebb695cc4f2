import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Presents`: an optional property backed by `PresentationState`.
enum PresentsMacro {
  /// A property to which the macro can be applied.
  struct Property {
    let identifier: TokenSyntax
    /// The optional's wrapped type.
    let wrapped: TypeSyntax
    let access: String

    var storage: String { "_\(identifier.plainText)" }
    var state: String { "\(module)PresentationState<\(wrapped)>" }
  }
}

extension PresentsMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext,
  ) throws -> [AccessorDeclSyntax] {
    // The peer expansion diagnoses the fault.
    guard case .success(let property) = property(of: declaration, node: node) else { return [] }
    let storage = property.storage
    return [
      """
      @storageRestrictions(initializes: \(raw: storage))
      init(initialValue) {
        \(raw: storage) = \(raw: property.state)(wrappedValue: initialValue)
      }
      """,
      """
      get {
        \(raw: storage).wrappedValue
      }
      """,
      """
      set {
        \(raw: storage).wrappedValue = newValue
      }
      """,
      """
      _modify {
        yield &\(raw: storage).wrappedValue
      }
      """,
    ]
  }
}

extension PresentsMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext,
  ) throws -> [DeclSyntax] {
    let property: Property
    switch Self.property(of: declaration, node: node) {
    case .success(let found): property = found
    case .failure(let failure):
      context.diagnose(failure.diagnostic)
      return []
    }
    let name = property.identifier.plainText
    return [
      """
      private var \(raw: property.storage) = \(raw: property.state)(wrappedValue: nil)
      """,
      """
      \(raw: property.access)var $\(raw: name): \(raw: property.state) {
        get {
          \(raw: property.storage).projectedValue
        }
        set {
          \(raw: property.storage).projectedValue = newValue
        }
      }
      """,
    ]
  }
}

// MARK: - The property

extension PresentsMacro {
  /// The reason why the macro cannot be applied.
  struct Failure: Error {
    let diagnostic: Diagnostic

    init(_ name: String, _ message: String, _ node: some SyntaxProtocol, fixIts: [FixIt] = []) {
      diagnostic = StateMessage(name, message).at(node, fixIts: fixIts)
    }
  }

  private static func property(
    of declaration: some DeclSyntaxProtocol,
    node: AttributeSyntax,
  ) -> Result<Property, Failure> {
    guard let variable = declaration.as(VariableDeclSyntax.self) else {
      return .failure(
        Failure(
          "presentsOnWrongDeclaration",
          "'@Presents' can only be applied to a property",
          node,
        )
      )
    }
    guard variable.bindingSpecifier.tokenKind == .keyword(.var) else {
      return .failure(constantFailure(variable))
    }
    guard variable.bindings.count == 1, let binding = variable.bindings.first,
      let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.trimmed
    else {
      let message = "'@Presents' can only be applied to one property at a time"
      return .failure(Failure("presentsOnSeveral", message, node))
    }
    guard binding.isStored, !variable.modifiers.contains("static") else {
      let message = "'@Presents' cannot be applied to '\(name.text)': it is not stored in the state"
      return .failure(Failure("presentsOnComputed", message, node))
    }
    guard let type = binding.typeAnnotation?.type else {
      let message =
        "'@Presents' needs the type of '\(name.text)' to be written: "
        + "'var \(name.text): Child.State?'"
      return .failure(Failure("presentsWithoutType", message, binding))
    }
    guard let wrapped = wrappedType(of: type) else {
      return .failure(notOptionalFailure(name, type))
    }
    let access = variable.modifiers.access.map { "\($0) " } ?? ""
    return .success(Property(identifier: name, wrapped: wrapped.trimmed, access: access))
  }

  private static func wrappedType(of type: TypeSyntax) -> TypeSyntax? {
    if let optional = type.as(OptionalTypeSyntax.self) {
      return optional.wrappedType.unparenthesized
    }
    let arguments =
      type.as(IdentifierTypeSyntax.self).flatMap {
        $0.name.text == "Optional" ? $0.genericArgumentClause : nil
      }
      ?? type.as(MemberTypeSyntax.self).flatMap {
        $0.name.text == "Optional" ? $0.genericArgumentClause : nil
      }
    guard case .type(let wrapped)? = arguments?.arguments.first?.argument else { return nil }
    return wrapped
  }

  private static func constantFailure(_ variable: VariableDeclSyntax) -> Failure {
    let keyword = variable.bindingSpecifier
    return Failure(
      "presentsOnConstant",
      "'@Presents' cannot be applied to a 'let': a presentation begins and ends",
      keyword,
      fixIts: [
        .replace("Make it a 'var'", keyword, by: keyword.with(\.tokenKind, .keyword(.var)))
      ],
    )
  }

  private static func notOptionalFailure(_ name: TokenSyntax, _ type: TypeSyntax) -> Failure {
    let optional = OptionalTypeSyntax(wrappedType: type.trimmed)
      .with(\.leadingTrivia, type.leadingTrivia).with(\.trailingTrivia, type.trailingTrivia)
    return Failure(
      "presentsOnNonOptional",
      "'@Presents' needs '\(name.text)' to be optional: nil stands for no presentation",
      type,
      fixIts: [.replace("Make it optional", type, by: TypeSyntax(optional))],
    )
  }
}

extension TypeSyntax {
  /// `T` for `(T)`.
  fileprivate var unparenthesized: TypeSyntax {
    guard let tuple = self.as(TupleTypeSyntax.self), tuple.elements.count == 1,
      let element = tuple.elements.first, element.firstName == nil,
      !element.type.is(SomeOrAnyTypeSyntax.self)
    else { return self }
    return element.type
  }
}
