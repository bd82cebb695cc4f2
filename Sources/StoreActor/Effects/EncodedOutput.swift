import IssueReporting
package import StoreState

/// An output that was made in another process, as it came from there.
///
/// Which type it was is told by whoever asks for outputs of a type: see ``OutputReader``.
package struct EncodedOutput: Sendable {
  /// Its encoding.
  package let bytes: ArraySlice<UInt8>
  /// The hash of its type's schema.
  package let schema: Digest

  /// Creates an output from what came.
  package init(bytes: ArraySlice<UInt8>, schema: Digest) {
    self.bytes = bytes
    self.schema = schema
  }
}

/// Reads outputs as values of one type: those of this process, and those that came encoded.
package struct OutputReader<Output: Sendable>: Sendable {
  /// The type and its schema's hash, where it is one whose values can travel.
  private let wire: (type: any WirePayload.Type, schema: Digest)?

  package init(_ type: Output.Type) {
    wire = (type as? any WirePayload.Type).map { ($0, Self.schema(of: $0)) }
  }

  /// The output as a value of the type; nil when it is one of another type.
  package func read(_ output: any Sendable) -> Output? {
    if let value = output as? Output { return value }
    guard let wire, let encoded = output as? EncodedOutput, encoded.schema == wire.schema
    else { return nil }
    return decode(encoded.bytes, as: wire.type)
  }

  private static func schema<Wire: WirePayload>(of type: Wire.Type) -> Digest {
    SchemaRegistry.document(for: type).hash
  }

  private func decode<Wire: WirePayload>(
    _ bytes: ArraySlice<UInt8>,
    as type: Wire.Type,
  ) -> Output? {
    do throws(CodecError) {
      var decoder = CBORDecoder(bytes)
      let value = try Wire(from: &decoder)
      try decoder.finish()
      return value as? Output
    } catch {
      reportIssue(
        """
        An output of type '\(Wire.self)' cannot be read from its encoding: \(error)

        It came from another process and has the type's schema. To fix, see to it that \
        'init(from:)' reads what 'encode(to:)' writes, in both programs.
        """
      )
      return nil
    }
  }
}
