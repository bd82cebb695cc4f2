/// A message for the daemon's operator.
package struct ServerNotice: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// Something that no correct client does, or that goes wrong.
    case warning
    /// A client came, was refused, or left.
    case audit
  }

  package var kind: Kind
  /// The peer's address or name.
  package var peer: String
  package var text: String
  /// Its metadata.
  ///
  /// Bounded by ``Limits/nameBytes`` and what a message quotes, of a few details.
  package var details: [String: String] = [:]
}
