/// A message for the daemon's operator.
package struct ServerNotice: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// A fault, or an act of an incorrect client.
    case warning
    /// A client connected, was refused, or left.
    case audit
  }

  package var kind: Kind
  /// The peer's address or name.
  package var peer: String
  package var text: String
  /// Its metadata.
  ///
  /// Bounded by ``Limits/nameBytes`` and the quotations of a message, for a few details.
  package var details: [String: String] = [:]
}
