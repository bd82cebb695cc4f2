/// A client's key for a daemon over tcp, with the public key that the daemon must have.
public struct StoreKey: Hashable, Sendable {
  /// The daemon's public key.
  package var daemon: [UInt8]
  /// The client's own secret key.
  package var secret: [UInt8]

  package init(daemon: [UInt8], secret: [UInt8]) {
    self.daemon = daemon
    self.secret = secret
  }
}

extension StoreKey: CustomStringConvertible, CustomReflectable {
  /// The daemon's public key, without the secret.
  public var description: String { "the key for the daemon \(KeyText.text(daemon))" }

  /// The daemon's public key, without the secret.
  public var customMirror: Mirror { Mirror(self, children: ["daemon": KeyText.text(daemon)]) }
}
