public import StoreState

/// A state that another build writes, kept as it writes it, beside what this program's types read.
///
/// Digests are of the writer's form, so drift is noticed as in any other replica. A scope's state
/// is an optional of its schema's root (PROTOCOL.md §8), and so is this one.
public struct TranslatedState: Sendable {
  private let resolution: SchemaResolution
  /// The optional state as it is written.
  package private(set) var state: GenericValue = .null

  /// Creates a state that is absent.
  ///
  /// - Parameter resolution: How this program reads the scope's state: one of two roots that are
  ///   not optional themselves yet.
  /// - Throws: A `CodecError` with the differences when this program cannot.
  public init(_ resolution: SchemaResolution) throws(CodecError) {
    guard resolution.isCompatible else {
      throw CodecError(.typeMismatch, resolution.differences.joined(separator: "; "))
    }
    self.resolution = resolution.ofOptional
  }

  /// Takes a snapshot, and returns it in this program's form.
  public mutating func reset(to snapshot: ArraySlice<UInt8>) throws(CodecError) -> [UInt8] {
    let value = try GenericValue(encoded: snapshot)
    try value.validate(against: resolution.writer)
    state = value
    return try resolution.translate(value).encoded()
  }

  /// Takes a delta, and returns it in this program's form: nil when nothing changes for it.
  public mutating func apply(_ delta: ArraySlice<UInt8>) throws(CodecError) -> [UInt8]? {
    let translated = try resolution.translate(delta: delta)
    var decoder = CBORDecoder(delta)
    let document = resolution.writer
    try state.apply(delta: &decoder, schema: document.root, in: document)
    try decoder.finish()
    return translated
  }

  /// The digest of the state as it is written.
  public var digest: Digest { state._$digest }
}

extension SchemaResolution {
  /// The resolution of optionals of both roots, as a scope's state is.
  fileprivate var ofOptional: SchemaResolution {
    let document = SchemaDocument(
      trustedRoot: .optional(writer.root),
      definitions: writer.definitions,
    )
    let projection = Projection.optional(
      projector.root,
      wasBoxed: writer.root.admitsNull,
      isBoxed: readerAdmitsNull,
    )
    return SchemaResolution(
      differences: differences,
      isIdentity: isIdentity,
      writer: document,
      projector: Projector(root: projection, plans: projector.plans),
      readerAdmitsNull: true,
    )
  }
}
