/// Collects the definitions of types while their schemas are asked for.
///
/// Types may contain themselves: a type is known by its name before its body is asked for.
public struct SchemaRegistry: Sendable {
  private var names: [ObjectIdentifier: String] = [:]
  private(set) var definitions: [String: Definition] = [:]
  private var reserved: Set<String> = []
  /// Whether values may differ in parts that their encodings do not have.
  package var hidesParts = false
  /// Whether durable forms are defined, which have parts that never travel.
  public var _$isDurable = false
  /// Whether values have parts that begin anew after a restart.
  package var hasEphemeralParts = false
  /// The names of types whose durable forms lack what they hide.
  package var forgetful: [String] = []
  /// The names of properties that durable forms lack because they are marked so.
  package var unkept: [String] = []
  /// Whether what types note about their fields is kept; mostly nobody asks.
  package let isCollectingHints: Bool
  var hints = SchemaHints()
  /// Is shown the fields of records; mostly nobody asks.
  package var fieldVisitor: (any SchemaFieldVisitor)?

  /// Creates a registry without definitions.
  public init() { isCollectingHints = false }

  init(collectingHints isCollectingHints: Bool) { self.isCollectingHints = isCollectingHints }

  /// The name of a type that has defined itself, or is about to.
  func name<T>(of type: T.Type) -> String? { names[ObjectIdentifier(type)] }

  /// Defines a type at the first visit, and refers to it at every other.
  ///
  /// Types that want the same name are numbered in the order of their first visits: `Row`, `Row2`.
  ///
  /// - Parameters:
  ///   - type: The type whose definition it is.
  ///   - name: The name that the type would like to have.
  ///   - body: Gives the definition; it may ask for the schemas of other types, and of `type`.
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

  /// The schema of a value's type with all the definitions that it needs.
  public static func document<T: WirePayload>(for type: T.Type) -> SchemaDocument {
    var registry = SchemaRegistry()
    let root = type.schema(in: &registry)
    return SchemaDocument(trustedRoot: root, definitions: registry.definitions)
  }

  /// Whether values of a type may differ in parts that their encodings do not have.
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
