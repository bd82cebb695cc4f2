/// Properties of a name that are computed at compile time: its index in the canonical order, and
/// its digest (SipHash-2-4 of its encoding under the protocol's fixed key).
enum StateNameDigest {
  /// The name as a CBOR text.
  static func encoding(of name: String) -> [UInt8] {
    let utf8 = Array(name.utf8)
    switch utf8.count {
    case 0...23: return [0x60 | UInt8(utf8.count)] + utf8
    case 24...0xff: return [0x78, UInt8(utf8.count)] + utf8
    default: return [0x79, UInt8(utf8.count >> 8 & 0xff), UInt8(utf8.count & 0xff)] + utf8
    }
  }

  /// The indices of names, sorted by the names' encodings.
  static func canonicalOrder(of names: [String]) -> [Int] {
    let encoded = names.map(encoding(of:))
    return names.indices.sorted { encoded[$0].lexicographicallyPrecedes(encoded[$1]) }
  }

  /// The digest of the name as a literal.
  static func literal(of name: String) -> String {
    let digits = String(hash(encoding(of: name)), radix: 16)
    let padded = String(repeating: "0", count: 16 - digits.count) + digits
    let groups = stride(from: 0, to: 16, by: 4).map { padded.dropFirst($0).prefix(4) }
    return "0x\(groups.joined(separator: "_"))"
  }

  private static func hash(_ bytes: [UInt8]) -> UInt64 {
    var state = SipState()
    var index = 0
    while bytes.count - index >= 8 {
      state.compress(word(bytes[index..<(index + 8)]))
      index += 8
    }
    state.compress(word(bytes[index...]) | UInt64(bytes.count & 0xff) << 56)
    return state.finish()
  }

  /// The bytes as a little-endian number.
  private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}

private struct SipState {
  private var v0: UInt64 = 0x0706_0504_0302_0100 ^ 0x736f_6d65_7073_6575
  private var v1: UInt64 = 0x0f0e_0d0c_0b0a_0908 ^ 0x646f_7261_6e64_6f6d
  private var v2: UInt64 = 0x0706_0504_0302_0100 ^ 0x6c79_6765_6e65_7261
  private var v3: UInt64 = 0x0f0e_0d0c_0b0a_0908 ^ 0x7465_6462_7974_6573

  mutating func compress(_ word: UInt64) {
    v3 ^= word
    round()
    round()
    v0 ^= word
  }

  mutating func finish() -> UInt64 {
    v2 ^= 0xff
    for _ in 0..<4 { round() }
    return v0 ^ v1 ^ v2 ^ v3
  }

  private mutating func round() {
    v0 &+= v1
    v1 = Self.rotate(v1, 13) ^ v0
    v0 = Self.rotate(v0, 32)
    v2 &+= v3
    v3 = Self.rotate(v3, 16) ^ v2
    v0 &+= v3
    v3 = Self.rotate(v3, 21) ^ v0
    v2 &+= v1
    v1 = Self.rotate(v1, 17) ^ v2
    v2 = Self.rotate(v2, 32)
  }

  private static func rotate(_ value: UInt64, _ bits: UInt64) -> UInt64 {
    value << bits | value >> (64 - bits)
  }
}
