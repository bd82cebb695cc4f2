public import StoreState

/// How a program reads what one of another build writes: by the names of fields and cases.
///
/// Two schemas are compatible when every value of the writer's is one of the reader's, with
/// defaults for what the writer does not have; PROTOCOL.md §2.1 has the rules. Where they are, the
/// resolution turns the writer's values and deltas into the reader's, which its types then decode.
/// Where they are not, it names what differs.
///
///     let resolution = SchemaResolution(writer: theirs, reader: mine)
///     guard resolution.isCompatible else { throw … resolution.differences … }
///     let state = try Todos(encoded: resolution.translate(value: bytes))
public struct SchemaResolution: Sendable {
  /// What keeps the reader from reading, one line for each field; empty when it can.
  public let differences: [String]

  /// Whether both sides have the same schema, so that there is nothing to translate.
  public let isIdentity: Bool

  /// The writer's schema.
  public let writer: SchemaDocument

  let projector: Projector

  /// Whether a value of the reader's root may be null.
  let readerAdmitsNull: Bool

  /// Which of the two this program is, for the words of the differences.
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
  ///   - reader: The schema of those who take them.
  ///   - here: Which of the two this program has.
  ///   - allowsUnknownCases: Whether a case that only the writer has is refused when it comes,
  ///     rather than at once. For actions, which the sender can do without.
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

  /// Whether the reader can read what the writer writes.
  public var isCompatible: Bool { differences.isEmpty }
}

extension SchemaResolution {
  /// Turns a value of the writer's schema into one of the reader's.
  ///
  /// - Throws: A `CodecError` when the value is not one of the writer's schema, or is of a case
  ///   that the reader does not know.
  public func translate(_ value: GenericValue) throws(CodecError) -> GenericValue {
    try checkCompatible()
    return isIdentity ? value : try projector.project(value, projector.root)
  }

  /// Turns the encoding of a value of the writer's schema into one of the reader's.
  ///
  /// - Throws: A `CodecError` when the bytes are not a value of the writer's schema, or it is of a
  ///   case that the reader does not know.
  public func translate(value bytes: ArraySlice<UInt8>) throws(CodecError) -> [UInt8] {
    let value = try GenericValue(encoded: bytes)
    try value.validate(against: writer)
    return try translate(value).encoded()
  }

  /// Turns the encoding of a value of the writer's schema into one of the reader's.
  ///
  /// - Throws: A `CodecError` when the bytes are not a value of the writer's schema, or it is of a
  ///   case that the reader does not know.
  public func translate(value bytes: [UInt8]) throws(CodecError) -> [UInt8] {
    try translate(value: bytes[...])
  }

  /// Turns a delta of the writer's schema into one of the reader's.
  ///
  /// - Returns: Nil when nothing changes that the reader knows of.
  /// - Throws: A `CodecError` when the bytes are no delta of the writer's schema, or it leads to a
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

  /// Turns a delta of the writer's schema into one of the reader's.
  ///
  /// - Returns: Nil when nothing changes that the reader knows of.
  /// - Throws: A `CodecError` when the bytes are no delta of the writer's schema, or it leads to a
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
