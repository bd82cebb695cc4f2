import IssueReporting
package import StoreBytes

/// An output of another process, as received.
///
/// The consumer determines its type: see ``OutputFeed``.
package struct EncodedOutput: Sendable {
  /// Its encoding.
  package let bytes: ArraySlice<UInt8>
  /// The hash of its type's schema.
  package let schema: Digest
  /// The source; nil if only types of exactly this schema can read it.
  package let origin: (any OutputOrigin)?

  /// Creates an output from received data.
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

/// The source of outputs of another process, possibly of another build.
@MainActor
package protocol OutputOrigin: AnyObject, Sendable {
  /// Finds the schema that has a hash.
  ///
  /// - Parameters:
  ///   - hash: The hash that an output carries.
  ///   - body: Takes the schema, now or later; nil if it is unknown.
  func findSchema(_ hash: Digest, _ body: @escaping @MainActor (SchemaDocument?) -> Void)

  /// Reports why requested outputs were omitted.
  func leftOut(_ reason: String)
}

/// Reads outputs as values of one type: those of this process, and encoded ones from a program of
/// the same build.
package struct OutputReader<Output: Sendable>: Sendable {
  /// The type and its schema's hash, if it has a wire form.
  let wire: (type: any WirePayload.Type, schema: Digest)?

  package init(_ type: Output.Type) {
    wire = (type as? any WirePayload.Type).map { ($0, Self.schema(of: $0)) }
  }

  /// The output as a value of the type; nil if it has another type.
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
