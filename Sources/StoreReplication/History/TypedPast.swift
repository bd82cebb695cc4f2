import StoreState

/// A root's past with its types, for a daemon: it knows which scopes changed.
struct TypedPast<Root: Sendable>: PastRoot, Sendable {
  private let form: DurableForm<Root>
  /// The scopes whose changes are named.
  private let scopes: [(name: String, source: ScopeSource)]
  /// The one whose state is asked for.
  private let asked: ScopeSource?
  private var root: Root?
  private var build: (schema: SchemaDocument, resolution: SchemaResolution?)?

  init(
    _ form: DurableForm<Root>,
    scopes: [(name: String, source: ScopeSource)],
    asked: ScopeSource?,
  ) {
    self.form = form
    self.scopes = scopes
    self.asked = asked
  }

  /// How what a build wrote is read; nil where this program's types are the same.
  private mutating func resolution(
    _ schema: SchemaDocument
  ) throws(CodecError) -> SchemaResolution? {
    if let build, build.schema == schema { return build.resolution }
    var resolution: SchemaResolution?
    if schema != form.schema {
      let found = SchemaResolution(writer: schema, reader: form.reader)
      guard found.isCompatible else {
        throw CodecError(.typeMismatch, found.differences.joined(separator: "; "))
      }
      resolution = found
    }
    build = (schema, resolution)
    return resolution
  }

  mutating func take(
    snapshot bytes: ArraySlice<UInt8>,
    _ schema: SchemaDocument,
  ) throws(CodecError) {
    if let resolution = try resolution(schema) {
      root = try form.decoded(try resolution.translate(value: bytes)[...])
    } else {
      root = try form.decoded(bytes)
    }
  }

  mutating func apply(
    _ delta: [UInt8],
    _ schema: SchemaDocument,
    naming: Bool,
  ) throws(CodecError) -> [String] {
    guard var new = root else { return [] }
    let old = new
    if let resolution = try resolution(schema) {
      guard let delta = try resolution.translate(delta: delta[...]) else { return [] }
      try form.apply(delta, to: &new)
    } else {
      try form.apply(delta, to: &new)
    }
    root = new
    guard naming else { return [] }
    return withUnsafePointer(to: old) { old in
      withUnsafePointer(to: new) { new in
        let (old, new) = (UnsafeRawPointer(old), UnsafeRawPointer(new))
        return scopes.filter { scope in
          var encoder = CBOREncoder()
          return scope.source.encodeDelta(old, new, &encoder)
        }
        .map(\.name)
      }
    }
  }

  func scope() throws(HistoryError) -> [UInt8] {
    guard let asked, let root else {
      throw HistoryError(.unknownScope, "No scope was asked for.")
    }
    return withUnsafePointer(to: root) { root in
      var encoder = CBOREncoder()
      asked.encode(UnsafeRawPointer(root), &encoder)
      return encoder.bytes
    }
  }

  func digest() -> Digest {
    guard let root else { return Digest(rawValue: 0) }
    let bytes = form.encoded(root)
    return Digest(rawValue: SipHash24.hash(bytes[...]))
  }
}
