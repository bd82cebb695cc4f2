/// SipHash-2-4 with 64 bits of output and the protocol's fixed key `00 01 … 0f`.
///
/// The key is public: the digest detects replicas that diverged by accident.
package struct SipHash24: Sendable {
  private var v0: UInt64
  private var v1: UInt64
  private var v2: UInt64
  private var v3: UInt64
  private var tail: UInt64 = 0
  private var count: UInt64 = 0

  package init() { self.init(key0: 0x0706_0504_0302_0100, key1: 0x0f0e_0d0c_0b0a_0908) }

  /// Creates a hash with a key, for hashes that are unpredictable without the key.
  package init(key: UInt64) { self.init(key0: key, key1: 0x0f0e_0d0c_0b0a_0908) }

  @inline(__always)
  private init(key0: UInt64, key1: UInt64) {
    v0 = key0 ^ 0x736f_6d65_7073_6575
    v1 = key1 ^ 0x646f_7261_6e64_6f6d
    v2 = key0 ^ 0x6c79_6765_6e65_7261
    v3 = key1 ^ 0x7465_6462_7974_6573
  }

  /// The hash of all the bytes.
  package static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var hasher = SipHash24()
    hasher.append(bytes)
    return hasher.finish()
  }

  /// The hash of all the bytes.
  package static func hash(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.withUnsafeBytes { hash($0) }
  }

  @inline(__always)
  package mutating func append(_ byte: UInt8) {
    tail |= UInt64(byte) << ((count & 7) * 8)
    count &+= 1
    if count & 7 == 0 {
      compress(tail)
      tail = 0
    }
  }

  /// Appends eight bytes, the lowest first.
  @inline(__always)
  package mutating func append(littleEndian value: UInt64) {
    let filled = (count & 7) * 8
    count &+= 8
    guard filled > 0 else { return compress(value) }
    compress(tail | value << filled)
    tail = value >> (64 - filled)
  }

  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    var index = 0
    while bytes.count - index >= 8 {
      let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      append(littleEndian: UInt64(littleEndian: word))
      index += 8
    }
    while index < bytes.count {
      append(bytes[index])
      index += 1
    }
  }

  /// The hash of the appended bytes; do not use the hasher afterwards.
  package mutating func finish() -> UInt64 {
    compress(tail | count << 56)
    v2 ^= 0xff
    for _ in 0..<4 { round() }
    return v0 ^ v1 ^ v2 ^ v3
  }

  @inline(__always)
  private mutating func compress(_ word: UInt64) {
    v3 ^= word
    round()
    round()
    v0 ^= word
  }

  @inline(__always)
  private mutating func round() {
    v0 &+= v1
    v2 &+= v3
    v1 = rotate(v1, 13) ^ v0
    v3 = rotate(v3, 16) ^ v2
    v0 = rotate(v0, 32)
    v2 &+= v1
    v0 &+= v3
    v1 = rotate(v1, 17) ^ v2
    v3 = rotate(v3, 21) ^ v0
    v2 = rotate(v2, 32)
  }

  @inline(__always)
  private func rotate(_ value: UInt64, _ bits: UInt64) -> UInt64 {
    value << bits | value >> (64 - bits)
  }
}

extension SipHash24 {
  /// Appends an item's first byte and its argument in the shortest form.
  mutating func append(header major: UInt8, _ argument: UInt64) {
    switch argument {
    case 0...23:
      append(major | UInt8(argument))
    case 24...0xff:
      append(major | 24)
      append(bigEndian: argument, count: 1)
    case 0x100...0xffff:
      append(major | 25)
      append(bigEndian: argument, count: 2)
    case 0x1_0000...0xffff_ffff:
      append(major | 26)
      append(bigEndian: argument, count: 4)
    default:
      append(major | 27)
      append(bigEndian: argument, count: 8)
    }
  }

  /// Appends the lowest bytes of `value`, the highest of them first.
  mutating func append(bigEndian value: UInt64, count: UInt64) {
    for place in 1...count {
      append(UInt8(truncatingIfNeeded: value >> ((count - place) * 8)))
    }
  }
}
