public import StoreBytes

/// State that other processes can hold copies of.
///
/// In addition to an encoding and a digest, a state has deltas. The protocol's text defines their
/// bytes. For every two values `old` and `new`, applying the delta from `old` to `new` yields
/// `new`, byte for byte.
///
/// A type that declares the conformance and implements only the requirements of `WireValue` is
/// replaced as a whole at each change.
public protocol ReplicatedState: WireValue {
  /// Writes the delta from `old` to this value.
  ///
  /// - Returns: False if both have the same encoding; then no bytes are written.
  func encodeDelta(from old: Self, to encoder: inout CBOREncoder) -> Bool

  /// Applies a delta to this value.
  ///
  /// - Throws: A `CodecError` if the delta does not fit. The value may then be partly changed and
  ///   must be discarded.
  mutating func applyDelta(from decoder: inout CBORDecoder) throws(CodecError)
}

extension ReplicatedState {
  /// Replaces the old value.
  public func encodeDelta(from old: Self, to encoder: inout CBOREncoder) -> Bool {
    guard !_$isSame(as: old) else { return false }
    encode(to: &encoder)
    return true
  }

  /// Reads a new value.
  public mutating func applyDelta(from decoder: inout CBORDecoder) throws(CodecError) {
    self = try Self(from: &decoder)
  }

  /// The delta from `old` to this value, or nil if both have the same encoding.
  public func delta(from old: Self) -> [UInt8]? {
    var encoder = CBOREncoder()
    return encodeDelta(from: old, to: &encoder) ? encoder.bytes : nil
  }

  /// The value that results from applying a delta to this one.
  public func applying(delta: ArraySlice<UInt8>) throws(CodecError) -> Self {
    var result = self
    var decoder = CBORDecoder(delta)
    try ReadingScope.run { () throws(CodecError) in try result.applyDelta(from: &decoder) }
    try decoder.finish()
    return result
  }

  /// The value that results from applying a delta to this one.
  public func applying(delta: [UInt8]) throws(CodecError) -> Self {
    try applying(delta: delta[...])
  }
}
