/// Several deltas of one schema, one after the other, as one: without the value that they are for.
///
///     var composition = DeltaComposition(document)
///     try composition.append(first)
///     try composition.append(second)
///     composition.encoded   // nil when the second took back what the first did
///
/// Applying the composed delta to a value gives, byte for byte, what applying the others in turn
/// gives. It need not have the bytes of a delta between the two ends: that a text was replaced by
/// what it had been, say, nobody can see without the text. PROTOCOL.md §3.1 says when it has.
public struct DeltaComposition: Sendable {
  private let schema: Schema
  private let folder: DeltaFolder
  private var tree: DeltaTree?

  /// Creates an empty composition of deltas of a document's root.
  public init(_ document: SchemaDocument) {
    self.init(schema: document.root, in: document)
  }

  /// Creates an empty composition of deltas of a schema.
  public init(schema: Schema, in document: SchemaDocument) {
    self.schema = schema
    folder = DeltaFolder(applier: DeltaApplier(document: document))
  }

  /// Whether nothing changes: nothing was appended, or it cancelled out.
  public var isEmpty: Bool { tree == nil }

  /// The composed delta, or nil when nothing changes.
  public var encoded: [UInt8]? {
    guard let tree else { return nil }
    var encoder = CBOREncoder()
    tree.encode(to: &encoder)
    return encoder.bytes
  }

  /// Lets a delta follow.
  ///
  /// - Throws: A `CodecError` when it is no delta of the schema, or fits no value to which those
  ///   before it lead. The composition must be thrown away then.
  public mutating func append(_ delta: ArraySlice<UInt8>) throws(CodecError) {
    var decoder = CBORDecoder(delta)
    try append(from: &decoder)
    try decoder.finish()
  }

  /// Lets a delta follow.
  ///
  /// - Throws: A `CodecError` when it is no delta of the schema, or fits no value to which those
  ///   before it lead. The composition must be thrown away then.
  public mutating func append(_ delta: [UInt8]) throws(CodecError) {
    try append(delta[...])
  }

  /// Lets a delta follow that stands next in a decoder.
  ///
  /// - Throws: A `CodecError` when it is no delta of the schema, or fits no value to which those
  ///   before it lead. The composition must be thrown away then.
  public mutating func append(from decoder: inout CBORDecoder) throws(CodecError) {
    let tree = tree
    self.tree = nil
    self.tree = try folder.fold(tree, &decoder, schema)
  }

  /// Two deltas of a document's root as one, or nil when the second takes back the first.
  public static func composed(
    _ first: [UInt8],
    _ second: [UInt8],
    in document: SchemaDocument,
  ) throws(CodecError) -> [UInt8]? {
    var composition = DeltaComposition(document)
    try composition.append(first)
    try composition.append(second)
    return composition.encoded
  }
}
