/// The address of a message on the publishing socket: a kind and 16 random bytes.
package struct Topic: Hashable, Sendable {
  package enum Kind: UInt8, Sendable {
    case session = 0x11
    case view = 0x12
    /// A view on the control socket. The topic only names it; no message is published to it.
    case unicastView = 0x13
  }

  /// Always 17 bytes, because subscriptions match by prefix.
  package static let byteCount = 17
  /// The first byte of the welcome, which is not a topic.
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
