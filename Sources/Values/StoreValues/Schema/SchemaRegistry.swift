/// Collects the definitions of types while their schemas are built.
///
/// Types may contain themselves: a type's name is registered before its definition is built.
public struct SchemaRegistry: Sendable {
  private var names: [ObjectIdentifier: String] = [:]
  private(set) var definitions: [String: Definition] = [:]
  private var reserved: Set<String> = []
  /// Whether values may differ in parts that their encodings lack.
  package var hidesParts = false
  /// Whether durable forms are defined, which have parts that are never sent.
  public var _$isDurable = false
  /// Whether values have parts that reset at a restart.
  package var hasEphemeralParts = false
  /// The names of types whose durable forms lack their hidden parts.
  package var forgetful: [String] = []
  /// The names of the properties that durable forms lack because of a mark.
  package var unkept: [String] = []
  /// Whether hints about fields are collected; most callers do not need them.
  package let isCollectingHints: Bool
  var hints = SchemaHints()
  /// The visitor of the fields of records; most callers have no visitor.
  package var fieldVisitor: (any SchemaFieldVisitor)?

  /// Creates a registry without definitions.
  public init() { isCollectingHints = false }

  init(collectingHints isCollectingHints: Bool) { self.isCollectingHints = isCollectingHints }

  /// The name of a type whose definition exists or is being built.
  func name<T>(of type: T.Type) -> String? { names[ObjectIdentifier(type)] }

  /// Defines a type at its first visit, and refers to the definition at later visits.
  ///
  /// Types with the same preferred name are numbered in the order of their first visits: `Row`,
  /// `Row2`.
  ///
  /// - Parameters:
  ///   - type: The type to define.
  ///   - name: The type's preferred name.
  ///   - body: Returns the definition; it may request the schemas of other types, and of `type`.
  /// - Returns: The kind that refers to the definition.
  public mutating func define<T>(
    _ type: T.Type,
    name: String,
    _ body: (inout SchemaRegistry) -> Definition,
  ) -> Schema {
    let identifier = ObjectIdentifier(type)
    if let known = names[identifier] { return .named(known) }
    let unique = uniqueName(name)
    names[identifier] = unique
    reserved.insert(unique)
    definitions[unique] = body(&self)
    return .named(unique)
  }

  /// The schema of a value's type with all definitions that it needs.
  public static func document<T: WirePayload>(for type: T.Type) -> SchemaDocument {
    var registry = SchemaRegistry()
    let root = type.schema(in: &registry)
    return SchemaDocument(trustedRoot: root, definitions: registry.definitions)
  }

  /// Whether values of a type may differ in parts that their encodings lack.
  package static func hidesParts<T: WirePayload>(_ type: T.Type) -> Bool {
    var registry = SchemaRegistry()
    _ = type.schema(in: &registry)
    return registry.hidesParts
  }

  private func uniqueName(_ name: String) -> String {
    guard reserved.contains(name) else { return name }
    var number = 2
    while reserved.contains("\(name)\(number)") { number += 1 }
    return "\(name)\(number)"
  }
}
