package import StoreState

/// The coding of a root in its durable form.
package struct DurableForm<Root: Sendable>: Sendable {
  package typealias Place = UnsafePointer<Root>

  /// The schema of the form.
  package var schema: SchemaDocument { reader.document }
  /// The schema, prepared for reading other schemas.
  let reader: ReaderSchema
  /// The names of types with hidden state that the form does not contain.
  package let forgetful: [String]
  /// Whether a replicated part is reset by a restart.
  package let hasEphemeralParts: Bool
  /// The parts of values that the form lacks: properties, and types that do not list theirs.
  let unkept: [String]
  package let encode: @Sendable (Root, inout CBOREncoder) -> Void
  /// Writes the delta from one root to another; false if they are equal.
  ///
  /// Neither root is changed. Arguments that are not `inout` would be copied for the call, which
  /// takes as long as a small delta.
  package let delta: @Sendable (_ old: inout Root, _ new: inout Root, inout CBOREncoder) -> Bool
  let decode: @Sendable (inout CBORDecoder) throws(CodecError) -> Root
  let applyDelta: @Sendable (inout Root, inout CBORDecoder) throws(CodecError) -> Void
  private let beginAnew: @Sendable (Root) throws(CodecError) -> Root

  /// The form of a root that defines its own durable form.
  package init(_: Root.Type) where Root: DurableState {
    let properties: [String]
    (reader, forgetful, hasEphemeralParts, properties) =
      SchemaRegistry.durableSchema(for: Root.self)
    unkept = (forgetful + properties).sorted()
    encode = { $0.encode(to: &$1) }
    delta = { $1.encodeDelta(from: $0, to: &$2) }
    decode = { (decoder) throws(CodecError) in
      try ReadingScope.run { () throws(CodecError) in try decoder.value(Root.self) }
    }
    beginAnew = { (root) throws(CodecError) in try root.begunAnew() }
    applyDelta = { (root, decoder) throws(CodecError) in
      try ReadingScope.run { () throws(CodecError) in try root.applyDelta(from: &decoder) }
    }
  }

  /// The form of a root; nil if its type defines no durable form.
  package static var ofRoot: DurableForm? {
    func form<Durable: DurableState>(_ type: Durable.Type) -> DurableForm? {
      DurableForm<Durable>(type) as? DurableForm
    }
    guard let type = Root.self as? any DurableState.Type else { return nil }
    return form(type)
  }

  /// The name of the root's type in schemas.
  package var name: String {
    if case .named(let name) = schema.root { name } else { "\(Root.self)" }
  }

  /// A root's durable form.
  package func encoded(_ root: Root) -> [UInt8] {
    var encoder = CBOREncoder.durable
    encode(root, &encoder)
    return encoder.bytes
  }

  /// Writes the delta from one root to another.
  ///
  /// - Returns: False if they are equal.
  func encodeDelta(_ old: Place, _ new: Place, _ encoder: inout CBOREncoder) -> Bool {
    delta(
      &UnsafeMutablePointer(mutating: old).pointee,
      &UnsafeMutablePointer(mutating: new).pointee,
      &encoder,
    )
  }

  /// Reads a root.
  package func decoded(_ bytes: ArraySlice<UInt8>) throws(CodecError) -> Root {
    var decoder = CBORDecoder(durable: bytes)
    let root = try decode(&decoder)
    try decoder.finish()
    return root
  }

  /// A root with its ephemeral parts at their defaults.
  package func begunAnew(_ root: Root) throws(CodecError) -> Root { try beginAnew(root) }

  /// Applies a record's delta.
  package func apply(_ delta: [UInt8], to root: inout Root) throws(CodecError) {
    var decoder = CBORDecoder(durable: delta[...])
    try applyDelta(&root, &decoder)
    try decoder.finish()
  }
}
