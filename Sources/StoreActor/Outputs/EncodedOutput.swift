import IssueReporting
package import StoreBytes

/// An output that was made in another process, as it came from there.
///
/// Which type it was is told by whoever asks for outputs of a type: see ``OutputFeed``.
package struct EncodedOutput: Sendable {
  /// Its encoding.
  package let bytes: ArraySlice<UInt8>
  /// The hash of its type's schema.
  package let schema: Digest
  /// Where it came from; nil where only types of the very schema can read it.
  package let origin: (any OutputOrigin)?

  /// Creates an output from what came.
  package init(
    bytes: ArraySlice<UInt8>,
    schema: Digest,
    origin: (any OutputOrigin)? = nil,
  ) {
    self.bytes = bytes
    self.schema = schema
    self.origin = origin
  }
}

/// Where outputs come from that were made in another process, maybe one of another build.
@MainActor
package protocol OutputOrigin: AnyObject, Sendable {
  /// Finds the schema that has a hash.
  ///
  /// - Parameters:
  ///   - hash: The hash that came with an output.
  ///   - body: Takes the schema, now or later; nil when nobody knows it.
  func findSchema(_ hash: Digest, _ body: @escaping @MainActor (SchemaDocument?) -> Void)

  /// Is told why outputs were left out that somebody asked for.
  func leftOut(_ reason: String)
}

/// Reads outputs as values of one type: those of this process, and those that came encoded from a
/// program of the same build.
package struct OutputReader<Output: Sendable>: Sendable {
  /// The type and its schema's hash, where it is one whose values can travel.
  let wire: (type: any WirePayload.Type, schema: Digest)?

  package init(_ type: Output.Type) {
    wire = (type as? any WirePayload.Type).map { ($0, Self.schema(of: $0)) }
  }

  /// The output as a value of the type; nil when it is one of another type.
  package func read(_ output: any Sendable) -> Output? {
    if let value = output as? Output { return value }
    guard let wire, let encoded = output as? EncodedOutput, encoded.schema == wire.schema
    else { return nil }
    do throws(CodecError) {
      return try decode(encoded.bytes, as: wire.type)
    } catch {
      reportIssue(
        """
        An output of type "\(Output.self)" cannot be read from its encoding: \(error)

        It came from another process and has the type's schema.

        To fix, see to it that "init(from:)" reads what "encode(to:)" writes, in both programs.
        """
      )
      return nil
    }
  }

  private static func schema<Wire: WirePayload>(of type: Wire.Type) -> Digest {
    SchemaRegistry.document(for: type).hash
  }

  func decode<Wire: WirePayload>(
    _ bytes: ArraySlice<UInt8>,
    as type: Wire.Type,
  ) throws(CodecError) -> Output? {
    var decoder = CBORDecoder(bytes)
    let value = try Wire(from: &decoder)
    try decoder.finish()
    return value as? Output
  }
}
