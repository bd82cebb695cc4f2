package import GenericState
package import StoreState

/// A root's past without its types, for programs that know only what the journal says.
///
/// Its scopes are called by the fields that lead to them: `todos/items/<id>`.
package struct GenericPast: PastRoot {
  private let asked: [String]
  private var value = GenericValue.null
  private var schema: SchemaDocument?

  /// A past of which nothing is known yet.
  ///
  /// - Parameter asked: The way to the state that is asked for; empty for all.
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
    var decoder = CBORDecoder(delta)
    try value.apply(delta: &decoder, schema: schema.root, in: schema)
    try decoder.finish()
    return naming ? try Self.fields(of: delta, schema) : []
  }

  /// Another build goes on, and has kept no snapshot of what it has made of the state.
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

  /// The state that was asked for, as a value with its schema.
  package func found() throws(HistoryError) -> (value: GenericValue, schema: Schema) {
    guard let document = schema else { throw HistoryError(.unavailable, "Nothing is kept.") }
    var (value, schema) = (value, document.root)
    for (place, name) in asked.enumerated() {
      if case .optional(let wrapped) = schema {
        if case .null = value { return (.null, .optional(wrapped)) }
        schema = wrapped
      }
      guard let next = step(from: value, schema, to: name, in: document) else {
        let way = asked[..<place].joined(separator: "/")
        throw HistoryError(
          .unknownScope,
          "There is no \"\(name)\" in \(way.isEmpty ? "the state" : "\"\(way)\"")"
            + NearestNames().remedy(for: name, among: names(in: value, schema, document)),
        )
      }
      (value, schema) = next
    }
    return (value, schema)
  }

  private func step(
    from value: GenericValue,
    _ schema: Schema,
    to name: String,
    in document: SchemaDocument,
  ) -> (GenericValue, Schema)? {
    switch schema {
    case .identified(let field, let id, let element):
      guard case .array(let rows) = value else { return nil }
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

  package func digest() -> Digest { value.digest }
}
