import SwiftDiagnostics
import SwiftSyntax

/// Faults that prevent a structure's replication, as far as its declaration shows them.
///
/// For a field whose type cannot be replicated, the compiler reports an unavailable overload in
/// `GeneratedSchema`.
struct StateFieldProblems {
  let members: MemberBlockItemListSyntax
  let fields: [StateField]
  /// Whether the parts that copies lack are stored.
  let isDurable: Bool

  var diagnostics: [Diagnostic] {
    patterns + constants + unreachable + fields.flatMap(problems) + formerNames
  }

  /// `var (a, b) = (1, 2)`.
  private var patterns: [Diagnostic] {
    members.compactMap { $0.decl.as(VariableDeclSyntax.self) }.flatMap(\.bindings).compactMap {
      guard $0.isStored, !$0.pattern.is(IdentifierPatternSyntax.self) else { return nil }
      return StateMessage(
        "replicatedPattern",
        "a replicated state's properties need declarations of their own, with a name each",
      ).at($0.pattern)
    }
  }

  /// `let id = UUID()`: no initializer can give the constant its value in another process.
  private var constants: [Diagnostic] {
    StoredProperty.all(in: members).compactMap { property in
      guard property.isConstant, !property.has("ReplicationIgnored"),
        property.defaultValue?.as(FunctionCallExprSyntax.self)?.arguments.isEmpty == true
      else { return nil }
      return StateMessage(
        "replicatedConstant",
        "'\(property.name)' is a constant that each copy recreates; make it a 'var', or declare "
          + "it without a value and set it in an initializer, or mark it '@ReplicationIgnored' "
          + "(copies have their own)",
      ).at(property.declaration)
    }
  }

  /// Properties named `Self` or `Type`, which have no key path.
  private var unreachable: [Diagnostic] {
    fields.filter { !$0.hasKeyPath }.map { field in
      StateMessage(
        "replicatedTypeName",
        "no key path leads to a property that is called '\(field.name)'; give it another name, and "
          + "'@Replicated(formerly: \"\(field.name)\")' where other builds call it that",
      ).at(field.property.declaration)
    }
  }

  private func problems(_ field: StateField) -> [Diagnostic] {
    let declaration = field.property.declaration
    guard !field.isIgnored else {
      guard
        field.property.has("ReplicatedAsCodable") || field.formerName != nil && !isDurable
      else { return [] }
      return [
        StateMessage(
          "ignoredAndReplicated",
          "'\(field.name)' is marked both as replicated and '@ReplicationIgnored'; remove one of "
            + "the marks",
        ).at(declaration)
      ]
    }
    if field.property.has("DurableAsCodable") {
      return [
        StateMessage(
          "durableMarkOnReplicated",
          "'@DurableAsCodable' is for properties that are '@ReplicationIgnored'; the others are "
            + "kept in their replicated form",
        ).at(declaration)
      ]
    }
    if field.isEphemeral,
      field.isSetByInitializer || !field.property.hasDefault || field.name == "id"
    {
      return [
        StateMessage(
          "ephemeralWithoutDefault",
          "'\(field.name)' cannot be reset after a restart: '@DurableIgnored' is for variables "
            + "with a default value that are no ids and have no observers",
        ).at(declaration)
      ]
    }
    if field.property.isConditional {
      return [
        StateMessage(
          "replicatedConditional",
          "'\(field.name)' stands in '#if', but both sides of a connection must agree on the "
            + "fields; declare it in every case, or mark it '@ReplicationIgnored'",
        ).at(declaration)
      ]
    }
    guard field.property.isLazy else { return [] }
    return [
      StateMessage(
        "replicatedLazy",
        "'\(field.name)' is lazy, so reading it may change it; mark it '@ReplicationIgnored', or "
          + "make it a stored property",
      ).at(declaration)
    ]
  }

  private var formerNames: [Diagnostic] {
    var taken = Set(fields.map(\.name))
    return fields.compactMap { field in
      guard let former = field.formerName else { return nil }
      guard !taken.insert(former).inserted else { return nil }
      return StateMessage.formerNameTaken(former).at(field.property.declaration)
    }
  }
}

/// Faults that prevent an enumeration's replication.
struct StateCaseProblems {
  let cases: [StateCase]

  var diagnostics: [Diagnostic] {
    duplicates + cases.compactMap(problem) + formerNames
  }

  private var duplicates: [Diagnostic] {
    var seen: Set<String> = []
    return cases.compactMap { element in
      guard !seen.insert(element.name).inserted else { return nil }
      return StateMessage(
        "replicatedOverload",
        "two cases are called '\(element.name)', but on the wire a case is known by its name "
          + "alone; rename one",
      ).at(element.declaration)
    }
  }

  private func problem(_ element: StateCase) -> Diagnostic? {
    if element.isConditional {
      return StateMessage(
        "replicatedConditional",
        "'\(element.name)' stands in '#if', but both sides of a connection must agree on the cases",
      ).at(element.declaration)
    }
    guard element.declaration.attributes.attribute(named: "ReplicationIgnored") != nil else {
      return nil
    }
    return StateMessage(
      "ignoredCase",
      "a case of a replicated state cannot be '@ReplicationIgnored': a copy would have no value "
        + "for it; keep the private value in a property of its own",
    ).at(element.declaration)
  }

  private var formerNames: [Diagnostic] {
    var taken = Set(cases.map(\.name))
    return cases.compactMap { element in
      guard let former = element.formerName else { return nil }
      guard !taken.insert(former).inserted else { return nil }
      return StateMessage.formerNameTaken(former).at(element.declaration)
    }
  }
}

extension StateMessage {
  fileprivate static func formerNameTaken(_ name: String) -> StateMessage {
    StateMessage("formerNameTaken", "'\(name)' is taken: a former name must be unique in the type")
  }
}
