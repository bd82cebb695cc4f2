package import StoreState

/// Applies deltas to generic values of one schema, with names that are looked up in advance.
///
/// The result equals that of ``GenericValue/apply(delta:schema:in:)``, for callers that apply many
/// deltas of one schema: the records and optionals on the path to a change need no lookup in the
/// document and no search for a field.
package struct DeltaPlan: Sendable {
  /// A place in the schema.
  ///
  /// Only numbers, so that access to a node counts no references.
  private struct Node {
    enum Kind {
      /// An optional that is either null or the value itself: `first` is its node, and
      /// `schemas[count]` its kind.
      case optional
      /// A record with `count` fields from index `first` on.
      case record
      case int64
      /// Any other kind, which is `schemas[first]`.
      case other
    }

    var kind: Kind
    var first = 0
    var count = 0
  }

  private struct Field {
    let name: String
    /// The index of its entry in the record's map, whose entries are in the order of their keys.
    let place: Int
    var node = 0
  }

  private let applier: DeltaApplier
  private var nodes: [Node] = []
  private var fields: [Field] = []
  private var schemas: [Schema] = []
  private let root: Int

  /// Creates the plan of a schema.
  ///
  /// - Parameters:
  ///   - schema: The schema of the values.
  ///   - document: The document with the definitions to which the schema refers.
  package init(_ schema: Schema, in document: SchemaDocument) {
    applier = DeltaApplier(document: document)
    var builder = Builder(document: document)
    root = builder.node(for: schema)
    (nodes, fields, schemas) = (builder.nodes, builder.fields, builder.schemas)
  }

  /// Applies a delta to a value of the schema.
  ///
  /// - Throws: A `CodecError` with the path at which the delta does not fit. The value may then be
  ///   partly changed and must be discarded.
  package func apply(
    _ decoder: inout CBORDecoder,
    to value: inout GenericValue,
  ) throws(CodecError) {
    try apply(&decoder, to: &value, root)
  }
}

// MARK: - Applying

extension DeltaPlan {
  private func apply(
    _ decoder: inout CBORDecoder,
    to value: inout GenericValue,
    _ index: Int,
  ) throws(CodecError) {
    let node = nodes[index]
    switch node.kind {
    case .optional: try applyToOptional(&decoder, &value, node)
    case .record: try applyToFields(&decoder, &value, node)
    case .int64: value = .integer(try decoder.signed())
    case .other: try applier.apply(&decoder, to: &value, schemas[node.first])
    }
  }

  private func applyToOptional(
    _ decoder: inout CBORDecoder,
    _ value: inout GenericValue,
    _ node: Node,
  ) throws(CodecError) {
    if try decoder.nullIfPresent() {
      value = .null
      return
    }
    switch try decoder.deltaForm() {
    case .replaced: value = try applier.read(&decoder, schemas[node.count])
    case .changed:
      if case .null = value {
        throw decoder.error(.deltaMismatch, "the delta changes a value that is absent")
      }
      try apply(&decoder, to: &value, node.first)
    }
  }

  private func applyToFields(
    _ decoder: inout CBORDecoder,
    _ value: inout GenericValue,
    _ node: Node,
  ) throws(CodecError) {
    guard case .map(var entries) = value, entries.count == node.count else {
      throw decoder.error(
        .deltaMismatch,
        "the delta is one of a map of \(node.count), the value is \(value.foundText)",
      )
    }
    // Moved out of the value, so that it changes in place.
    value = .null
    for _ in 0..<(try decoder.mapHeader()) {
      let field = node.first + (try decoder.place(below: node.count, "the field"))
      do throws(CodecError) {
        try apply(&decoder, to: &entries[fields[field].place].value, fields[field].node)
      } catch {
        throw error.inside(.name(fields[field].name))
      }
    }
    value = .map(entries)
  }
}

// MARK: - Preparing

extension DeltaPlan {
  /// Moves the rows of a new value's lists into trees, as the first delta of each list would.
  ///
  /// - Throws: A `CodecError` if two rows have the same id; then the value must be discarded.
  package func prepare(_ value: inout GenericValue) throws(CodecError) {
    try prepare(&value, root)
  }

  private func prepare(_ value: inout GenericValue, _ index: Int) throws(CodecError) {
    let node = nodes[index]
    switch (node.kind, value) {
    case (.optional, let content) where content != .null: try prepare(&value, node.first)
    case (.record, .map(var entries)) where entries.count == node.count:
      value = .null
      for field in fields[node.first..<(node.first + node.count)] {
        try prepare(&entries[field.place].value, field.node)
      }
      value = .map(entries)
    case (.other, .array(var items)):
      guard case .identified(let field, _, _) = schemas[node.first] else { return }
      try items.changeRows(withIDsIn: field) { _ in }
      value = .array(items)
    default: break
    }
  }
}

// MARK: - Building

extension DeltaPlan {
  private struct Builder {
    let document: SchemaDocument
    var nodes: [Node] = []
    var fields: [Field] = []
    var schemas: [Schema] = []
    /// The nodes of records by name, because types may be recursive.
    var records: [String: Int] = [:]

    init(document: SchemaDocument) { self.document = document }

    mutating func node(for schema: Schema) -> Int {
      switch schema {
      case .int64: return add(Node(kind: .int64))
      case .optional(let wrapped) where !wrapped.admitsNull:
        let index = add(Node(kind: .optional))
        nodes[index].count = add(wrapped)
        nodes[index].first = node(for: wrapped)
        return index
      case .named(let name):
        guard case .record(let parts) = document.definitions[name] else { break }
        return records[name] ?? record(name, parts)
      default: break
      }
      return add(Node(kind: .other, first: add(schema)))
    }

    private mutating func record(_ name: String, _ parts: [Definition.Field]) -> Int {
      let index = add(Node(kind: .record, first: fields.count, count: parts.count))
      records[name] = index
      let order = parts.map { GenericValue.text($0.name).encoded() }
      let start = fields.count
      for (part, own) in zip(parts, order) {
        let place = order.count { $0.lexicographicallyPrecedes(own) }
        fields.append(Field(name: part.name, place: place))
      }
      for (offset, part) in parts.enumerated() {
        let node = node(for: part.schema)
        fields[start + offset].node = node
      }
      return index
    }

    private mutating func add(_ node: Node) -> Int {
      nodes.append(node)
      return nodes.count - 1
    }

    private mutating func add(_ schema: Schema) -> Int {
      schemas.append(schema)
      return schemas.count - 1
    }
  }
}
