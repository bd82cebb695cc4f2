public import StoreState

/// Reads the values of another build by the names of fields and cases.
///
/// Two schemas are compatible if every value of the writer's is one of the reader's, with defaults
/// for the fields that the writer lacks; PROTOCOL.md §2.1 has the rules. For compatible schemas,
/// the resolution translates the writer's values and deltas to the reader's, which its types then
/// decode. For incompatible ones, it lists the differences.
///
///     let resolution = SchemaResolution(writer: theirs, reader: mine)
///     guard resolution.isCompatible else { throw … resolution.differences … }
///     let state = try Todos(encoded: resolution.translate(value: bytes))
public struct SchemaResolution: Sendable {
  /// The differences that make the schemas incompatible, one line for each field.
  public let differences: [String]

  /// Whether both sides have the same schema, so that no translation is needed.
  public let isIdentity: Bool

  /// The writer's schema.
  public let writer: SchemaDocument

  let projector: Projector

  /// Whether a value of the reader's root may be null.
  let readerAdmitsNull: Bool

  /// The side of this program, for the wording of the differences.
  public enum Side: Hashable, Sendable {
    /// This program reads: states that a daemon sends.
    case reader
    /// This program writes: actions that it sends to a daemon.
    case writer
  }

  /// Compares two schemas.
  ///
  /// - Parameters:
  ///   - writer: The schema of the values.
  ///   - reader: The schema of the program that reads them.
  ///   - here: The side of this program.
  ///   - allowsUnknownCases: Whether a case that only the writer has is rejected when it occurs,
  ///     rather than at once. For actions, whose unknown cases the sender can avoid.
  ///   - limit: The number of differences after which the search ends.
  public init(
    writer: SchemaDocument,
    reader: ReaderSchema,
    here: Side = .reader,
    allowsUnknownCases: Bool = false,
    limit: Int = 20,
  ) {
    var resolver = SchemaResolver(
      writer: writer,
      reader: reader,
      words: here == .reader ? ("there", "here") : ("here", "there"),
      allowsUnknownCases: allowsUnknownCases,
      limit: limit,
    )
    let root = resolver.run()
    differences = resolver.differences
    isIdentity = writer.hash == reader.document.hash
    self.writer = writer
    projector = Projector(root: root, plans: resolver.plans)
    readerAdmitsNull = reader.document.root.admitsNull
  }

  init(
    differences: [String],
    isIdentity: Bool,
    writer: SchemaDocument,
    projector: Projector,
    readerAdmitsNull: Bool,
  ) {
    self.differences = differences
    self.isIdentity = isIdentity
    self.writer = writer
    self.projector = projector
    self.readerAdmitsNull = readerAdmitsNull
  }

  /// Whether the reader can read the writer's values.
  public var isCompatible: Bool { differences.isEmpty }
}

extension SchemaResolution {
  /// Translates a value of the writer's schema to the reader's.
  ///
  /// - Throws: A `CodecError` if the schemas are incompatible, or if a translated part does not
  ///   match the writer's schema, or has a case that the reader does not know. Parts that need no
  ///   translation are not checked.
  public func translate(_ value: GenericValue) throws(CodecError) -> GenericValue {
    try checkCompatible()
    return isIdentity ? value : try projector.project(value, projector.root)
  }

  /// Translates the encoding of a value of the writer's schema to the reader's.
  ///
  /// - Throws: A `CodecError` if the bytes do not match the writer's schema, or the value has a
  ///   case that the reader does not know.
  public func translate(value bytes: ArraySlice<UInt8>) throws(CodecError) -> [UInt8] {
    let value = try GenericValue(encoded: bytes)
    try value.validate(against: writer)
    return try translate(value).encoded()
  }

  /// Translates the encoding of a value of the writer's schema to the reader's.
  ///
  /// - Throws: A `CodecError` if the bytes do not match the writer's schema, or the value has a
  ///   case that the reader does not know.
  public func translate(value bytes: [UInt8]) throws(CodecError) -> [UInt8] {
    try translate(value: bytes[...])
  }

  /// Translates a delta of the writer's schema to the reader's.
  ///
  /// - Returns: Nil if the reader's value does not change.
  /// - Throws: A `CodecError` if the bytes are not a delta of the writer's schema, or lead to a
  ///   case that the reader does not know.
  public func translate(delta bytes: ArraySlice<UInt8>) throws(CodecError) -> [UInt8]? {
    try checkCompatible()
    var decoder = CBORDecoder(bytes)
    let translator = DeltaTranslator(projector: projector, document: writer)
    var encoder = CBOREncoder()
    let isWritten = try translator.translate(&decoder, projector.root, writer.root, to: &encoder)
    try decoder.finish()
    return isWritten ? encoder.bytes : nil
  }

  /// Translates a delta of the writer's schema to the reader's.
  ///
  /// - Returns: Nil if the reader's value does not change.
  /// - Throws: A `CodecError` if the bytes are not a delta of the writer's schema, or lead to a
  ///   case that the reader does not know.
  public func translate(delta bytes: [UInt8]) throws(CodecError) -> [UInt8]? {
    try translate(delta: bytes[...])
  }

  private func checkCompatible() throws(CodecError) {
    guard let first = differences.first else { return }
    throw CodecError(
      .typeMismatch,
      "the schemas differ in \(differences.count) places, the first is \(first)",
    )
  }
}
