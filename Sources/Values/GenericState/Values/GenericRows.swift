import StoreState

/// Reads the deltas of identified arrays whose elements have a schema.
struct GenericRows: RowCoding {
  let applier: DeltaApplier
  /// The id field of the elements.
  let field: String
  let id: Schema
  let element: Schema

  func id(from decoder: inout CBORDecoder) throws(CodecError) -> GenericValue {
    try applier.read(&decoder, id)
  }

  func row(from decoder: inout CBORDecoder) throws(CodecError) -> GenericValue {
    try applier.read(&decoder, element)
  }

  func change(
    _ row: inout GenericValue,
    from decoder: inout CBORDecoder,
  ) throws(CodecError) {
    try applier.apply(&decoder, to: &row, element)
  }

  func areSame(_ one: GenericValue, _ other: GenericValue) -> Bool { one == other }

  func step(to id: GenericValue) -> CodecError.PathElement {
    id.pathElement(self.id, in: applier.document)
  }
}
