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

  /// The identifier that 32 hexadecimal digits stand for; nil for anything else.
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

/// What a message on the publishing socket is addressed to: a kind and 16 random bytes.
package struct Topic: Hashable, Sendable {
  package enum Kind: UInt8, Sendable {
    case session = 0x11
    case view = 0x12
    /// A view that comes on the control socket: it names the view, and nothing is published to it.
    case ownView = 0x13
  }

  /// Always 17 bytes, because subscriptions match by prefix.
  package static let byteCount = 17
  /// The first byte of the welcome, which is no topic.
  package static let welcome: UInt8 = 0x10

  package let kind: Kind
  package let identifier: Identifier

  package init(_ kind: Kind, _ identifier: Identifier) {
    self.kind = kind
    self.identifier = identifier
  }

  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount, let first = bytes.first, let kind = Kind(rawValue: first),
      let identifier = Identifier(bytes: bytes.dropFirst())
    else { return nil }
    self.init(kind, identifier)
  }

  package var bytes: [UInt8] { [kind.rawValue] + identifier.bytes }
}

/// The protocol's newest version.
package let protocolVersion: UInt64 = 1

/// The versions that this program speaks.
package let protocolVersions: ClosedRange<UInt64> = 1...protocolVersion

/// What a peer knows beyond its version of the protocol; in force where both ends know it.
package struct ProtocolFeatures: OptionSet, Hashable, Sendable {
  package var rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// A snapshot of an earlier revision than the fence's may come, and a replay behind it; and
  /// `working` while captures are being made.
  package static let snapshotThenReplay = ProtocolFeatures(rawValue: 1)

  /// A view that not everybody may see comes on the control socket, without a fence.
  package static let ownViews = ProtocolFeatures(rawValue: 2)

  /// An action may say which span it belongs to.
  package static let traces = ProtocolFeatures(rawValue: 4)

  /// All that this program knows.
  package static let known: ProtocolFeatures = [.snapshotThenReplay, .ownViews, .traces]
}
