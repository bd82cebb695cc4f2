public import StoreState

extension GenericValue {
  /// Checks that the value matches a schema.
  ///
  /// - Throws: A `CodecError` with the path of the part that does not match.
  public func validate(
    against schema: Schema,
    in document: SchemaDocument,
  ) throws(CodecError) {
    try SchemaValidator(document: document).check(self, schema)
  }

  /// Checks that the value matches a document's root.
  public func validate(against document: SchemaDocument) throws(CodecError) {
    try validate(against: document.root, in: document)
  }

  /// Reads a value and checks that it matches a schema.
  public init(
    from decoder: inout CBORDecoder,
    schema: Schema,
    in document: SchemaDocument,
  ) throws(CodecError) {
    let offset = decoder.offset
    self = try GenericValue(from: &decoder)
    do throws(CodecError) {
      try validate(against: schema, in: document)
    } catch {
      throw error.at(offset: offset)
    }
  }
}

extension CodecError {
  /// The same error with the byte offset at which its value begins.
  fileprivate func at(offset: Int) -> CodecError {
    var error = CodecError(code, message, offset: offset)
    for element in path.reversed() { error = error.inside(element) }
    return error
  }
}

extension GenericValue {
  /// The value as a signed 64-bit integer.
  package var int64: Int64? {
    switch self {
    case .unsigned(let magnitude): Int64(exactly: magnitude)
    case .negative(let complement): Int64(exactly: complement).map { ~$0 }
    default: nil
    }
  }

  /// The value as an unsigned 64-bit integer.
  package var uint64: UInt64? {
    if case .unsigned(let magnitude) = self { magnitude } else { nil }
  }

  /// The name of a choice's case and the map of its payload.
  package var caseAndPayload: (name: String, payload: GenericValue?)? {
    switch self {
    case .text(let name):
      return (name, nil)
    case .map(let entries):
      guard entries.count == 1, case .text(let name) = entries[0].key else { return nil }
      return (name, entries[0].value)
    default:
      return nil
    }
  }
}

extension Schema {
  /// The range of an integer kind: from `-below` to `top`; `nil` for other kinds.
  package var integerLimits: (below: UInt64, top: UInt64)? {
    switch self {
    case .int8: (0x80, 0x7f)
    case .int16: (0x8000, 0x7fff)
    case .int32: (0x8000_0000, 0x7fff_ffff)
    case .int64: (0x8000_0000_0000_0000, 0x7fff_ffff_ffff_ffff)
    case .uint8: (0, 0xff)
    case .uint16: (0, 0xffff)
    case .uint32: (0, 0xffff_ffff)
    case .uint64: (0, .max)
    default: nil
    }
  }
}
