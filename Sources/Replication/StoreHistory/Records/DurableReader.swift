import GenericState
package import StoreState

/// Reads what a build of the program has kept of a root, also one with other types.
///
/// Those are read by the rules that hold on the wire (`docs/PROTOCOL.md` §2.1).
package struct DurableReader<Root: Sendable>: Sendable {
  private let form: DurableForm<Root>
  /// Who wrote what is read now; nil where that is not known yet, and taken for this program.
  private var build: Build?

  private struct Build {
    let schema: SchemaDocument
    /// Nil where this program's types are the same.
    let resolution: SchemaResolution?
  }

  package init(_ form: DurableForm<Root>) { self.form = form }

  /// What follows was written by a build.
  ///
  /// - Parameter schema: The schema of the root's durable form in that build.
  /// - Throws: A `CodecError` that names the differences when this program cannot read it.
  package mutating func expect(_ schema: SchemaDocument) throws(CodecError) {
    guard build?.schema != schema else { return }
    guard schema != form.schema else {
      build = Build(schema: schema, resolution: nil)
      return
    }
    let resolution = SchemaResolution(writer: schema, reader: form.reader)
    guard resolution.isCompatible else {
      throw CodecError(.typeMismatch, resolution.differences.joined(separator: "; "))
    }
    build = Build(schema: schema, resolution: resolution)
  }

  /// Reads a root.
  package func root(_ bytes: ArraySlice<UInt8>) throws(CodecError) -> Root {
    guard let resolution = build?.resolution else { return try form.decoded(bytes) }
    return try form.decoded(try resolution.translate(value: bytes)[...])
  }

  /// Applies what a record says that changed.
  package func apply(_ delta: [UInt8], to root: inout Root) throws(CodecError) {
    guard let resolution = build?.resolution else { return try form.apply(delta, to: &root) }
    // What changed may be nothing that this program has.
    guard let delta = try resolution.translate(delta: delta[...]) else { return }
    try form.apply(delta, to: &root)
  }
}
