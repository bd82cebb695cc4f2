/// A random 128-bit name: a client's, or a session's token.
package struct Identifier: Hashable, Sendable {
  package var high: UInt64
  package var low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  package static func random(using generator: inout some RandomNumberGenerator) -> Self {
    Self(high: generator.next(), low: generator.next())
  }

  /// Its 16 bytes, most significant first.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16)
    for word in [high, low] {
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
      }
    }
    return bytes
  }

  /// Its bytes as 32 digits.
  package var hexadecimal: String {
    [high, low].map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }
    .joined()
  }

  /// The identifier of 32 hexadecimal digits; nil for any other text.
  package init?(hexadecimal text: String) {
    guard text.utf8.count == 32, let high = UInt64(text.prefix(16), radix: 16),
      let low = UInt64(text.suffix(16), radix: 16)
    else { return nil }
    self.init(high: high, low: low)
  }

  /// The identifier of 16 bytes; nil for any other count.
  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    var words: (UInt64, UInt64) = (0, 0)
    for byte in bytes {
      words.0 = words.0 << 8 | words.1 >> 56
      words.1 = words.1 << 8 | UInt64(byte)
    }
    self.init(high: words.0, low: words.1)
  }
}
