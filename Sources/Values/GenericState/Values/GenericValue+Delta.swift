public import StoreState

extension GenericValue {
  /// Applies a delta, read from a decoder, to a value of a schema.
  ///
  /// The value must match the schema (``validate(against:in:)``), before and after.
  ///
  /// - Throws: A `CodecError` with the path at which the delta does not fit. The value may then be
  ///   partly changed and must be discarded.
  public mutating func apply(
    delta decoder: inout CBORDecoder,
    schema: Schema,
    in document: SchemaDocument,
  ) throws(CodecError) {
    try DeltaApplier(document: document).apply(&decoder, to: &self, schema)
  }

  /// The value that results from applying a delta, both of a document's root.
  public func applying(
    delta: ArraySlice<UInt8>,
    in document: SchemaDocument,
  ) throws(CodecError) -> GenericValue {
    var result = self
    var decoder = CBORDecoder(delta)
    try result.apply(delta: &decoder, schema: document.root, in: document)
    try decoder.finish()
    return result
  }

  /// The value that results from applying a delta, both of a document's root.
  public func applying(
    delta: [UInt8],
    in document: SchemaDocument,
  ) throws(CodecError) -> GenericValue {
    try applying(delta: delta[...], in: document)
  }
}
