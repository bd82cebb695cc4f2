import StoreReplication

/// By what a peer of an encrypted connection is known: the daemon's own words for it, which libzmq
/// puts on each of its frames.
enum PeerName: Hashable, Sendable {
  /// A key that has a name, and grants.
  case key(String, [UInt8])
  /// A ticket for handing in a key.
  case ticket(KeyTicket)

  /// The property that has a connection's serial and, behind it, the name.
  static let property = "User-Id"

  /// What is read again.
  var word: String {
    switch self {
    case .key(let name, let key): "key:\(name)=\(KeyText.text(key))"
    case .ticket(let ticket): ticket.identity
    }
  }

  /// Reads the property of a frame; nil for a peer that only its address tells of.
  init?(property: String) {
    guard let word = property.split(separator: " ").dropFirst().first else { return nil }
    if let ticket = KeyTicket(address: String(word)) {
      self = .ticket(ticket)
      return
    }
    let parts = word.dropFirst("key:".count).split(separator: "=")
    guard parts.count == 2, let key = KeyText.key(parts[1]) else { return nil }
    self = .key(String(parts[0]), key)
  }

  /// Whether a connection that was let in by this name may stay: the name is still that key's.
  ///
  /// One by a ticket does not stay in any case.
  func isGood(under grants: Grants) -> Bool {
    if case .key(let name, let key) = self { grants.name(ofKey: key) == name } else { true }
  }

  /// What sessions have for an address.
  func address(at place: String) -> String { "\(word)@\(place)" }
}

extension ConnectionTable.Side {
  /// What is asked about who comes there.
  var domain: String {
    switch self {
    case .control: "control"
    case .publishing: "publishing"
    }
  }
}
