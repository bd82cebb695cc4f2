package import StoreState

/// Converts values of the protocol to JSON and back, by a schema.
package enum JSONProjection {
  /// A value as a JSON tree.
  ///
  /// A part that does not match its schema is written in the form without a schema.
  package static func tree(
    _ value: GenericValue,
    schema: Schema,
    in document: SchemaDocument,
  ) -> JSONValue {
    JSONValueWriter(document: document).tree(value, schema)
  }

  /// A value as JSON text.
  package static func json(
    _ value: GenericValue,
    schema: Schema,
    in document: SchemaDocument,
    pretty: Bool = false,
  ) -> String {
    tree(value, schema: schema, in: document).text(pretty: pretty)
  }

  /// A value of a document's root as JSON text.
  package static func json(
    _ value: GenericValue,
    in document: SchemaDocument,
    pretty: Bool = false,
  ) -> String {
    json(value, schema: document.root, in: document, pretty: pretty)
  }

  /// A value as JSON without a schema.
  package static func json(_ value: GenericValue) -> String {
    JSONValueWriter.tree(value).text()
  }

  /// A value as a JSON tree without a schema.
  package static func untyped(_ value: GenericValue) -> JSONValue { JSONValueWriter.tree(value) }

  /// The value of a schema from a JSON tree.
  package static func value(
    from tree: JSONValue,
    schema: Schema,
    in document: SchemaDocument,
  ) throws(JSONProjectionError) -> GenericValue {
    try JSONValueReader(document: document).read(tree, schema)
  }

  /// The value of a schema from a JSON text.
  package static func value(
    fromJSON text: String,
    schema: Schema,
    in document: SchemaDocument,
  ) throws(JSONProjectionError) -> GenericValue {
    try value(from: JSONValue(parsing: text), schema: schema, in: document)
  }

  /// The value of a document's root from a JSON text.
  package static func value(
    fromJSON text: String,
    in document: SchemaDocument,
  ) throws(JSONProjectionError) -> GenericValue {
    try value(fromJSON: text, schema: document.root, in: document)
  }

  /// A delta as a JSON tree for people, with the names of fields, cases and labels.
  ///
  /// Without the previous value, a change inside a case's payload lacks names: its labels are
  /// written as numbers.
  package static func tree(
    delta: ArraySlice<UInt8>,
    of old: GenericValue? = nil,
    schema: Schema,
    in document: SchemaDocument,
  ) throws(CodecError) -> JSONValue {
    var decoder = CBORDecoder(delta)
    let tree = try JSONDeltaWriter(document: document).tree(&decoder, old, schema)
    try decoder.finish()
    return tree
  }

  /// A delta as JSON text for people; see ``tree(delta:of:schema:in:)``.
  package static func json(
    delta: ArraySlice<UInt8>,
    of old: GenericValue? = nil,
    schema: Schema,
    in document: SchemaDocument,
  ) throws(CodecError) -> String {
    try tree(delta: delta, of: old, schema: schema, in: document).text()
  }
}

extension Schema {
  /// Whether a dictionary with such keys becomes a JSON object.
  package func isNameable(in document: SchemaDocument) -> Bool {
    switch self {
    case .text, .uuid: return true
    case .named:
      guard case .choice(let cases) = document.definition(of: self) else { return false }
      return cases.allSatisfy(\.payload.isEmpty)
    default: return integerLimits != nil
    }
  }
}
