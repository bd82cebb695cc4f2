import StoreState

/// A root's past with its types, for a daemon: it knows which scopes changed.
struct TypedPast<Root: Sendable>: PastRoot, Sendable {
  private let form: DurableForm<Root>
  private var reader: DurableReader<Root>
  /// The scopes whose changes are named.
  private let scopes: [(name: String, source: ScopeSource)]
  /// The one whose state is asked for.
  private let asked: ScopeSource?
  private(set) var root: Root?

  init(
    _ form: DurableForm<Root>,
    scopes: [(name: String, source: ScopeSource)],
    asked: ScopeSource?,
  ) {
    self.form = form
    reader = DurableReader(form)
    self.scopes = scopes
    self.asked = asked
  }

  mutating func take(
    snapshot bytes: ArraySlice<UInt8>,
    _ schema: SchemaDocument,
  ) throws(CodecError) {
    try reader.expect(schema)
    root = try reader.root(bytes)
  }

  mutating func apply(
    _ delta: [UInt8],
    _ schema: SchemaDocument,
    naming: Bool,
  ) throws(CodecError) -> [String] {
    guard var new = root else { return [] }
    let old = new
    try reader.expect(schema)
    try reader.apply(delta, to: &new)
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
