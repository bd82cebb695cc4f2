public import StoreBytes

/// An action that a client may send.
///
/// Its schema is a choice of exactly the cases that may be sent. Other cases exist only in the
/// process that owns the state, and encoding one throws.
public protocol WireAction: WirePayload {}

extension WireAction {
  /// The action's encoding.
  ///
  /// - Throws: A `CodecError` if the action is private to the process that owns the state.
  public func encoded() throws(CodecError) -> [UInt8] {
    var encoder = CBOREncoder()
    try encode(to: &encoder)
    return encoder.bytes
  }

  /// Reads an action from exactly its encoding.
  public init(encoded bytes: ArraySlice<UInt8>) throws(CodecError) {
    var decoder = CBORDecoder(bytes)
    self = try ReadingScope.run { () throws(CodecError) in try Self(from: &decoder) }
    try decoder.finish()
  }

  /// Reads an action from exactly its encoding.
  public init(encoded bytes: [UInt8]) throws(CodecError) {
    try self.init(encoded: bytes[...])
  }
}
