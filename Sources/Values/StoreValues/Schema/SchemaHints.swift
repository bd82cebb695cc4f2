/// What a type knows about its fields and cases beyond its schema: what they were called before,
/// and what stands in a field of which an older program knows nothing.
///
/// Hints do not travel: they help a program to read what one of another build writes.
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

  /// Creates hints that say nothing.
  public init() {}

  mutating func add(_ place: Place, formerly names: [String], fallback: [UInt8]?) {
    if !names.isEmpty { former[place] = names }
    if let fallback { fallbacks[place] = fallback }
  }

  /// What a field, case or label was called before.
  package func formerNames(of place: Place) -> [String] { former[place] ?? [] }

  /// The encoding of what stands in a field or label that the writer does not have.
  package func fallback(of place: Place) -> [UInt8]? { fallbacks[place] }
}

/// The schema of a type of this program, and what helps to read other builds' values of it.
public struct ReaderSchema: Hashable, Sendable {
  /// The schema.
  public let document: SchemaDocument
  /// What the schema does not tell.
  public let hints: SchemaHints

  /// Creates a reader's schema.
  public init(_ document: SchemaDocument, hints: SchemaHints = SchemaHints()) {
    self.document = document
    self.hints = hints
  }
}

extension SchemaRegistry {
  /// The schema of a type of this program, and what its fields and cases were called before and
  /// have as defaults.
  public static func readerSchema<T: WirePayload>(for type: T.Type) -> ReaderSchema {
    var registry = SchemaRegistry(collectingHints: true)
    let root = type.schema(in: &registry)
    let document = SchemaDocument(trustedRoot: root, definitions: registry.definitions)
    return ReaderSchema(document, hints: registry.hints)
  }

  /// Notes what helps to read values of a type that other builds wrote.
  ///
  /// - Parameters:
  ///   - type: The type that defines itself.
  ///   - name: The field or case; with `case` the label of a payload.
  ///   - case: The case whose payload the label belongs to.
  ///   - formerly: What it was called before.
  ///   - fallback: The encoding of what stands there when the writer does not have it.
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
  /// Notes that values may differ in what is not replicated, and still have the same encoding.
  public mutating func _$noteHiddenParts() { hidesParts = true }
}
