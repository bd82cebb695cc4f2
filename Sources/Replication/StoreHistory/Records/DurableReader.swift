import GenericState
package import StoreState

/// Reads the kept bytes of a root, also those of a build with other types.
///
/// Bytes of other types are read by the rules of the wire (`docs/PROTOCOL.md` §2.1).
package struct DurableReader<Root: Sendable>: Sendable {
  private let form: DurableForm<Root>
  /// The build that wrote the bytes; nil while it is unknown and assumed to be this program.
  private var build: Build?

  private struct Build {
    let schema: SchemaDocument
    /// Nil if this program's types are the same.
    let resolution: SchemaResolution?
  }

  package init(_ form: DurableForm<Root>) { self.form = form }

  /// Sets the build that wrote the following bytes.
  ///
  /// - Parameter schema: The schema of the root's durable form in that build.
  /// - Throws: A `CodecError` that names the differences if this program cannot read it.
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

  /// Applies a record's delta.
  package func apply(_ delta: [UInt8], to root: inout Root) throws(CodecError) {
    guard let resolution = build?.resolution else { return try form.apply(delta, to: &root) }
    // The delta may change only parts that this program lacks.
    guard let delta = try resolution.translate(delta: delta[...]) else { return }
    try form.apply(delta, to: &root)
  }
}
