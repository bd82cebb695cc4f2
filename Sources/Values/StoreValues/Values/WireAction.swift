public import StoreBytes

/// An action that a client may send.
///
/// Its schema is a choice of the cases that may be sent, and of nothing else: a case that is not
/// in it exists only in the process that owns the state, and encoding it throws.
public protocol WireAction: WirePayload {}

extension WireAction {
  /// The action's encoding.
  ///
  /// - Throws: A `CodecError` when the action is private to the process that owns the state.
  public func encoded() throws(CodecError) -> [UInt8] {
    var encoder = CBOREncoder()
    try encode(to: &encoder)
    return encoder.bytes
  }

  /// Reads an action of which `bytes` is the encoding, neither less nor more.
  public init(encoded bytes: ArraySlice<UInt8>) throws(CodecError) {
    var decoder = CBORDecoder(bytes)
    self = try ReadingScope.run { () throws(CodecError) in try Self(from: &decoder) }
    try decoder.finish()
  }

  /// Reads an action of which `bytes` is the encoding, neither less nor more.
  public init(encoded bytes: [UInt8]) throws(CodecError) {
    try self.init(encoded: bytes[...])
  }
}
