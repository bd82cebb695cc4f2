public import StoreBytes

/// State that other processes can hold copies of.
///
/// Beside its encoding and its digest a state has deltas. The protocol's text defines their bytes;
/// for every two values `old` and `new`, applying the delta from `old` to `new` gives `new`, byte
/// for byte.
///
/// A type that declares the conformance and writes only the requirements of `WireValue` is
/// replaced as a whole whenever it changes.
public protocol ReplicatedState: WireValue {
  /// Writes the delta that leads from `old` to this value.
  ///
  /// - Returns: False when both have the same encoding; then nothing was written.
  func encodeDelta(from old: Self, to encoder: inout CBOREncoder) -> Bool

  /// Applies a delta to this value.
  ///
  /// - Throws: A `CodecError` when the delta does not fit. The value may be half changed then and
  ///   must be thrown away.
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

  /// The delta that leads from `old` to this value, or nil when both have the same encoding.
  public func delta(from old: Self) -> [UInt8]? {
    var encoder = CBOREncoder()
    return encodeDelta(from: old, to: &encoder) ? encoder.bytes : nil
  }

  /// The value to which a delta leads from this one.
  public func applying(delta: ArraySlice<UInt8>) throws(CodecError) -> Self {
    var result = self
    var decoder = CBORDecoder(delta)
    try ReadingScope.run { () throws(CodecError) in try result.applyDelta(from: &decoder) }
    try decoder.finish()
    return result
  }

  /// The value to which a delta leads from this one.
  public func applying(delta: [UInt8]) throws(CodecError) -> Self {
    try applying(delta: delta[...])
  }
}
