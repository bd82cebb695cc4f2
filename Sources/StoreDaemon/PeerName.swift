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

  /// The public key that has to stay granted for the connection to stay; nil for a ticket, which
  /// does not stay in any case.
  var key: [UInt8]? { if case .key(_, let key) = self { key } else { nil } }

  /// What sessions have for an address.
  func address(at place: String) -> String {
    switch self {
    case .key(let name, _): "key:\(name)@\(place)"
    case .ticket(let ticket): "\(ticket.identity)@\(place)"
    }
  }
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
