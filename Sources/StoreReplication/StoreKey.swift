/// What a client shows to a daemon that it reaches over tcp, and by what it knows the daemon.
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
  /// What may be shown, which is not the secret.
  public var description: String { "the key for the daemon \(KeyText.text(daemon))" }

  /// What may be shown, which is not the secret.
  public var customMirror: Mirror { Mirror(self, children: ["daemon": KeyText.text(daemon)]) }
}
