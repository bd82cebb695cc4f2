public import StoreState

/// The outputs of a scope that travel: those of one type, made for an action of the scope.
@usableFromInline
package struct ScopeOutputs<RootAction>: Sendable {
  /// The type's schema.
  @usableFromInline
  package let document: SchemaDocument
  /// The hash of ``document``.
  let schema: Digest
  private let belongs: @Sendable (RootAction) -> Bool
  private let write: @Sendable (any Sendable, inout CBOREncoder) throws(CodecError) -> Bool

  /// The outputs of a type; nil for `Never`, of which there are none.
  ///
  /// - Parameters:
  ///   - type: The type.
  ///   - belongs: Whether an action of the root is one of the scope.
  @usableFromInline
  init?<Output: WirePayload>(
    _ type: Output.Type,
    belongs: @escaping @Sendable (RootAction) -> Bool,
  ) {
    guard type != Never.self else { return nil }
    document = SchemaRegistry.document(for: type)
    schema = document.hash
    self.belongs = belongs
    write = { (value, encoder) throws(CodecError) in
      guard let output = value as? Output else { return false }
      try output.encode(to: &encoder)
      return true
    }
  }

  /// The same outputs of a narrower scope.
  @usableFromInline
  init(_ outputs: Self, belongs: @escaping @Sendable (RootAction) -> Bool) {
    document = outputs.document
    schema = outputs.schema
    write = outputs.write
    self.belongs = belongs
  }

  /// Writes an output that was made for an action.
  ///
  /// - Returns: False when the output is not one of the scope's that travel: its action is
  ///   another's, it has another type, or it is private to the daemon. Nothing is written then.
  func encode(
    _ output: any Sendable,
    of action: RootAction,
    into encoder: inout CBOREncoder,
  ) -> Bool {
    guard belongs(action) else { return false }
    let mark = encoder.mark
    do throws(CodecError) {
      return try write(output, &encoder)
    } catch {
      // What is private is left out, as an action is that only effects may send.
      encoder.truncate(to: mark)
      return false
    }
  }
}
