public import StoreState

/// The outputs of a scope that are published, or its replies: those of one type.
@usableFromInline
package struct ScopeOutputs: Sendable {
  /// The type's schema.
  @usableFromInline
  package let document: SchemaDocument
  /// The hash of ``document``.
  package let schema: Digest
  private let write: @Sendable (any Sendable, inout CBOREncoder) throws(CodecError) -> Bool

  /// The outputs of a type; nil for `Never`, which has no values.
  @usableFromInline
  init?<Output: WirePayload>(_ type: Output.Type) {
    guard type != Never.self else { return nil }
    document = SchemaRegistry.document(for: type)
    schema = document.hash
    write = { (value, encoder) throws(CodecError) in
      guard let output = value as? Output else { return false }
      try output.encode(to: &encoder)
      return true
    }
  }

  /// Writes an output.
  ///
  /// - Returns: False, without writing, if the output is not published: it has another type, or it
  ///   is private to the daemon.
  package func encode(_ output: any Sendable, into encoder: inout CBOREncoder) -> Bool {
    let mark = encoder.mark
    do throws(CodecError) {
      return try write(output, &encoder)
    } catch {
      // Private outputs are omitted, like actions that only effects may send.
      encoder.truncate(to: mark)
      return false
    }
  }
}
