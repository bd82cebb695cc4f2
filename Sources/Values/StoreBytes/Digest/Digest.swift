/// A 64-bit digest of a value: equal for equal encodings, independent of how they were built.
///
/// It is a function of the value's CBOR item and shows whether two replicas have diverged. It does
/// not resist an attacker who searches for two values with the same digest.
public struct Digest: Hashable, Sendable {
  /// The number.
  public let rawValue: UInt64

  /// Creates a digest that was computed elsewhere.
  public init(rawValue: UInt64) { self.rawValue = rawValue }
}

extension Digest: CustomStringConvertible {
  /// The number as 16 hexadecimal digits.
  public var description: String {
    let digits = String(rawValue, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension Digest {
  /// The digest of exactly one encoded item.
  public static func of(canonical bytes: ArraySlice<UInt8>) throws(CodecError) -> Digest {
    var decoder = CBORDecoder(bytes)
    let digest = try decoder.digest()
    try decoder.finish()
    return digest
  }

  /// The digest of exactly one encoded item.
  public static func of(canonical bytes: [UInt8]) throws(CodecError) -> Digest {
    try of(canonical: bytes[...])
  }

  /// The digest of an item that this process encoded.
  package init(ofTrusted bytes: [UInt8]) {
    var decoder = CBORDecoder(bytes)
    // A value of any depth has a digest; readers reject excessive depth.
    decoder.surrounding = -bytes.count
    do throws(CodecError) {
      self = try decoder.digest()
      try decoder.finish()
    } catch {
      preconditionFailure("An encoding of \(bytes.count) bytes is not canonical: \(error)")
    }
  }

  /// The digest of an integer, float, text, byte string or simple value from its encoding.
  package init(ofScalar encoding: ArraySlice<UInt8>) {
    rawValue = SipHash24.hash(encoding)
  }
}

extension CBORDecoder {
  /// Reads one item of any kind and returns its digest.
  public mutating func digest() throws(CodecError) -> Digest {
    switch try peekKind() {
    case .array:
      var digest = SequenceDigest()
      for _ in 0..<(try arrayHeader()) { digest.append(try self.digest()) }
      return digest.finish()
    case .map:
      var digest = MapDigest()
      for _ in 0..<(try mapHeader()) {
        let key = try self.digest()
        digest.add(key: key, value: try self.digest())
      }
      return digest.finish()
    case .tag:
      var digest = SetDigest()
      for _ in 0..<(try setHeader()) { digest.add(try self.digest()) }
      return digest.finish()
    default:
      return Digest(ofScalar: try rawItem())
    }
  }
}
