/// A type's hints about its fields and cases beyond the schema: their former names, and the values
/// of fields that an older program does not have.
///
/// Hints are not sent: they help a program to read values that another build has written.
public struct SchemaHints: Hashable, Sendable {
  package struct Place: Hashable, Sendable {
    /// The definition's name in this program's document.
    var definition: String
    /// The case, for a label of its payload.
    var `case`: String?
    /// The field, case or label.
    var name: String

    package init(definition: String, case: String? = nil, name: String) {
      self.definition = definition
      self.case = `case`
      self.name = name
    }
  }

  private var former: [Place: [String]] = [:]
  private var fallbacks: [Place: [UInt8]] = [:]

  /// Creates empty hints.
  public init() {}

  mutating func add(_ place: Place, formerly names: [String], fallback: [UInt8]?) {
    if !names.isEmpty { former[place] = names }
    if let fallback { fallbacks[place] = fallback }
  }

  /// The former names of a field, case or label.
  package func formerNames(of place: Place) -> [String] { former[place] ?? [] }

  /// The encoded value of a field or label that the writer does not have.
  package func fallback(of place: Place) -> [UInt8]? { fallbacks[place] }
}

/// The schema of a type of this program, with hints for reading other builds' values of it.
public struct ReaderSchema: Hashable, Sendable {
  /// The schema.
  public let document: SchemaDocument
  /// The hints for fields and cases that the writer's schema lacks.
  public let hints: SchemaHints

  /// Creates a reader's schema.
  public init(_ document: SchemaDocument, hints: SchemaHints = SchemaHints()) {
    self.document = document
    self.hints = hints
  }
}

extension SchemaRegistry {
  /// The schema of a type of this program, with the former names and the defaults of its fields
  /// and cases.
  public static func readerSchema<T: WirePayload>(for type: T.Type) -> ReaderSchema {
    var registry = SchemaRegistry(collectingHints: true)
    let root = type.schema(in: &registry)
    let document = SchemaDocument(trustedRoot: root, definitions: registry.definitions)
    return ReaderSchema(document, hints: registry.hints)
  }

  /// Records hints for reading values of a type that other builds wrote.
  ///
  /// - Parameters:
  ///   - type: The type that defines itself.
  ///   - name: The field or case; with `case` the label of a payload.
  ///   - case: The case whose payload has the label.
  ///   - formerly: The former names.
  ///   - fallback: The encoded value that applies if the writer does not have the field or label.
  public mutating func note<T>(
    _ type: T.Type,
    _ name: String,
    of case: String? = nil,
    formerly: [String] = [],
    fallback: () -> [UInt8]? = { nil },
  ) {
    guard isCollectingHints, let definition = self.name(of: type) else { return }
    let place = SchemaHints.Place(definition: definition, case: `case`, name: name)
    hints.add(place, formerly: formerly, fallback: fallback())
  }
}

extension SchemaRegistry {
  /// Records that values with the same encoding may differ in parts that are not replicated.
  public mutating func _$noteHiddenParts() { hidesParts = true }
}
