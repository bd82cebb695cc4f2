package import StoreExposures
package import StoreProtocol
package import StoreState

/// A root's past with its types, for a daemon: it can name the changed scopes.
package struct TypedPast<Root: Sendable>: PastRoot, Sendable {
  private let form: DurableForm<Root>
  private var reader: DurableReader<Root>
  /// The scopes whose changes are named.
  private let named: [NamedScopes]
  /// The scope whose state is requested.
  private let asked: ErasedScope?
  private(set) var root: Root?

  package init(
    _ form: DurableForm<Root>,
    naming named: [NamedScopes] = [],
    asked: ErasedScope? = nil,
  ) {
    self.form = form
    reader = DurableReader(form)
    self.named = named
    self.asked = asked
  }

  package mutating func take(
    snapshot bytes: ArraySlice<UInt8>,
    _ schema: SchemaDocument,
  ) throws(CodecError) {
    try reader.expect(schema)
    root = try reader.root(bytes)
  }

  /// It translates the states and deltas of other builds to its own types.
  package func reads(_: SchemaDocument) -> Bool { true }

  package mutating func apply(
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
        var names: [String] = []
        for name in named.lazy.flatMap({ $0.changed(from: old, to: new) })
        where !names.contains(name) {
          names.append(name)
        }
        return names
      }
    }
  }

  package func scope() throws(HistoryError) -> [UInt8] {
    guard let asked, let root else {
      throw HistoryError(.unknownScope, "No scope was asked for.")
    }
    return withUnsafePointer(to: root) { root in
      var encoder = CBOREncoder()
      asked.encode(UnsafeRawPointer(root), &encoder)
      return encoder.bytes
    }
  }

  package func digest() -> Digest {
    guard let root else { return Digest(rawValue: 0) }
    let bytes = form.encoded(root)
    return Digest(rawValue: SipHash24.hash(bytes[...]))
  }
}
