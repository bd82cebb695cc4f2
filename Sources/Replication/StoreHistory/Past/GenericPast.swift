package import GenericState
package import StoreProtocol
package import StoreState

/// A root's past without its types, for programs that know only the journal.
///
/// A scope's name is the path of fields that lead to it: `todos/items/<id>`.
package struct GenericPast: PastRoot {
  private let asked: [String]
  private var value = GenericValue.null
  private var schema: SchemaDocument?

  /// Creates a past whose state is unknown.
  ///
  /// - Parameter asked: The path of the requested state; empty for the whole state.
  package init(asked: String = "") {
    self.asked = asked.split(separator: "/").map(String.init)
  }

  /// The state, and its schema.
  package var state: (value: GenericValue, schema: SchemaDocument)? {
    schema.map { (value, $0) }
  }

  package mutating func take(
    snapshot root: ArraySlice<UInt8>,
    _ schema: SchemaDocument,
  ) throws(CodecError) {
    value = try Self.value(root, schema)
    self.schema = schema
  }

  package func reads(_ schema: SchemaDocument) -> Bool {
    self.schema == nil || self.schema == schema
  }

  package mutating func apply(
    _ delta: [UInt8],
    _ schema: SchemaDocument,
    naming: Bool,
  ) throws(CodecError) -> [String] {
    if let old = self.schema, old != schema { try change(from: old, to: schema) }
    var names = naming ? try Self.fields(of: delta, schema) : []
    // Of the deeper states only the requested one is compared.
    let isAsked = asked.count > 1 && names.contains(asked[0])
    let before = isAsked ? askedValue : nil
    var decoder = CBORDecoder(delta)
    try value.apply(delta: &decoder, schema: schema.root, in: schema)
    try decoder.finish()
    if isAsked, askedValue != before { names.append(asked.joined(separator: "/")) }
    return names
  }

  /// Translates the state for another build that continued without keeping its own snapshot.
  private mutating func change(
    from old: SchemaDocument,
    to new: SchemaDocument,
  ) throws(CodecError) {
    let resolution = SchemaResolution(writer: old, reader: ReaderSchema(new))
    guard resolution.isCompatible else {
      throw CodecError(
        .typeMismatch,
        "another build went on here, whose types are needed to read it: ask its daemon",
      )
    }
    let bytes = try resolution.translate(value: value.encoded()[...])
    value = try Self.value(bytes[...], new)
    schema = new
  }

  private static func value(
    _ bytes: ArraySlice<UInt8>,
    _ schema: SchemaDocument,
  ) throws(CodecError) -> GenericValue {
    var decoder = CBORDecoder(bytes)
    let value = try GenericValue(from: &decoder, schema: schema.root, in: schema)
    try decoder.finish()
    return value
  }

  /// The names of the root's fields that a delta changes.
  static func fields(of delta: [UInt8], _ schema: SchemaDocument) throws(CodecError) -> [String] {
    guard case .record(let fields)? = schema.definition(of: schema.root) else { return [] }
    var decoder = CBORDecoder(delta)
    guard try decoder.peekKind() == .map else { return [] }
    var names: [String] = []
    for _ in 0..<(try decoder.mapHeader()) {
      let index = Int(clamping: try decoder.unsigned())
      if fields.indices.contains(index) { names.append(fields[index].name) }
      try decoder.skipItem()
    }
    return names
  }

  /// The requested state, as a value with its schema.
  package func found() throws(HistoryError) -> (value: GenericValue, schema: Schema) {
    guard let document = schema else { throw HistoryError(.unavailable, "Nothing is kept.") }
    switch way(in: document) {
    case .leads(let value, let schema): return (value, schema)
    case .ends(let place, let value, let schema):
      throw unknown(at: place, among: names(in: value, schema, document))
    }
  }

  /// The result of following the requested path.
  private enum Way {
    case leads(to: GenericValue, Schema)
    /// A value on the path has no field or row of the name at this place.
    case ends(before: Int, GenericValue, Schema)
  }

  private func way(in document: SchemaDocument) -> Way {
    var (value, schema) = (value, document.root)
    for (place, name) in asked.enumerated() {
      if case .optional(let wrapped) = schema {
        if case .null = value { return .leads(to: .null, .optional(wrapped)) }
        schema = wrapped
      }
      guard let next = step(from: value, schema, to: name, in: document) else {
        return .ends(before: place, value, schema)
      }
      (value, schema) = next
    }
    return .leads(to: value, schema)
  }

  /// The requested value; nil if it is absent now.
  private var askedValue: GenericValue? {
    guard let schema, case .leads(let value, _) = way(in: schema) else { return nil }
    return value
  }

  /// Checks whether a state of some builds can contain the requested path.
  ///
  /// - Parameter schemas: The schemas of the builds, oldest first.
  /// - Throws: ``HistoryError`` with the nearest existing names if no schema can contain it.
  package func check(in schemas: [SchemaDocument]) throws(HistoryError) {
    guard let newest = schemas.last else { return }
    if schemas.contains(where: { unknownPlace(in: $0) == nil }) { return }
    guard let (place, names) = unknownPlace(in: newest) else { return }
    throw unknown(at: place, among: names)
  }

  /// The first name without a match, and the possible names there; nil if every name has a match.
  private func unknownPlace(in document: SchemaDocument) -> (place: Int, names: [String])? {
    var schema = document.root
    for (place, name) in asked.enumerated() {
      while case .optional(let wrapped) = schema { schema = wrapped }
      switch schema {
      case .identified(_, _, let element): schema = element
      default:
        guard case .record(let fields)? = document.definition(of: schema),
          let field = fields.first(where: { $0.name == name })
        else { return (place, names(in: .null, schema, document)) }
        schema = field.schema
      }
    }
    return nil
  }

  private func unknown(at place: Int, among names: [String]) -> HistoryError {
    let way = asked[..<place].joined(separator: "/")
    return HistoryError(
      .unknownScope,
      "There is no \"\(asked[place])\" in \(way.isEmpty ? "the state" : "\"\(way)\"")"
        + NearestNames().remedy(for: asked[place], among: names),
    )
  }

  private func step(
    from value: GenericValue,
    _ schema: Schema,
    to name: String,
    in document: SchemaDocument,
  ) -> (GenericValue, Schema)? {
    switch schema {
    case .identified(let field, let id, let element):
      guard case .array(let rows) = value,
        // A UUID in lower case is the same id.
        let name = try? ScopeDescription.canonicalID(name, id, document)
      else { return nil }
      let row = rows.first { row in
        row[field: field].map { ScopeDescription.text(of: $0, id, document) == name } ?? false
      }
      return row.map { ($0, element) }
    case .named:
      guard case .record(let fields)? = document.definition(of: schema),
        let field = fields.first(where: { $0.name == name }), let part = value[field: name]
      else { return nil }
      return (part, field.schema)
    default: return nil
    }
  }

  private func names(
    in value: GenericValue,
    _ schema: Schema,
    _ document: SchemaDocument,
  ) -> [String] {
    switch schema {
    case .identified(let field, let id, _):
      guard case .array(let rows) = value else { return [] }
      return rows.prefix(1_000).compactMap { row in
        row[field: field].map { ScopeDescription.text(of: $0, id, document) }
      }
    default:
      guard case .record(let fields)? = document.definition(of: schema) else { return [] }
      return fields.map(\.name)
    }
  }

  package func scope() throws(HistoryError) -> [UInt8] { try found().value.encoded() }

  package func digest() -> Digest { value._$digest }
}
