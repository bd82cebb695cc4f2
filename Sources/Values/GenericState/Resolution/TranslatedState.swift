public import StoreState

/// A state that another build writes, stored in the writer's form, with a translation for this
/// program's types.
///
/// Digests cover the writer's form, so divergence is detected as in any other replica. A scope's
/// state is an optional of its schema's root (PROTOCOL.md §8), and so is this one.
public struct TranslatedState: Sendable {
  private let resolution: SchemaResolution
  /// The optional state in the writer's form.
  package private(set) var state: GenericValue = .null

  /// Creates an absent state.
  ///
  /// - Parameter resolution: The resolution of the scope's state, between the two roots without
  ///   the optional.
  /// - Throws: A `CodecError` with the differences if the schemas are incompatible.
  public init(_ resolution: SchemaResolution) throws(CodecError) {
    guard resolution.isCompatible else {
      throw CodecError(.typeMismatch, resolution.differences.joined(separator: "; "))
    }
    self.resolution = resolution.ofOptional
  }

  /// Stores a snapshot, and returns it in this program's form.
  public mutating func reset(to snapshot: ArraySlice<UInt8>) throws(CodecError) -> [UInt8] {
    let value = try GenericValue(encoded: snapshot)
    try value.validate(against: resolution.writer)
    state = value
    return try resolution.translate(value).encoded()
  }

  /// Applies a delta, and returns it in this program's form: nil if this program's value does
  /// not change.
  public mutating func apply(_ delta: ArraySlice<UInt8>) throws(CodecError) -> [UInt8]? {
    let translated = try resolution.translate(delta: delta)
    var decoder = CBORDecoder(delta)
    let document = resolution.writer
    try state.apply(delta: &decoder, schema: document.root, in: document)
    try decoder.finish()
    return translated
  }

  /// The digest of the state in the writer's form.
  public var digest: Digest { state._$digest }
}

extension SchemaResolution {
  /// The resolution of optionals of both roots, the form of a scope's state.
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
