package import StoreState

/// A client's command about keys (`docs/PROTOCOL.md` §8.4).
package enum KeyCommand: Hashable, Sendable {
  /// Lists the keys and the tickets.
  case list
  /// Creates a ticket for a key with a name, which will receive lines of grants.
  case invite(name: String, grants: [String], seconds: UInt64)
  /// Revokes a key or a ticket.
  case revoke(name: String)
  /// Exchanges the ticket of the connection for a key.
  case enrol(key: [UInt8])
}

/// The daemon's answer.
package enum KeyAnswer: Hashable, Sendable {
  case keys([Entry])
  case invited(Invitation)
  /// The key was enrolled, or revoked. The warning states a remaining problem.
  case done(name: String, warning: String? = nil)
  case failed(code: String, message: String)

  /// A key, or a ticket for one.
  package struct Entry: Hashable, Sendable {
    package var name: String
    /// The public key; nil for a ticket.
    package var key: [UInt8]?
    /// The rights of its lines of grants.
    package var grants: [String]
    /// The remaining validity of a ticket.
    package var seconds: UInt64?

    package init(name: String, key: [UInt8]?, grants: [String], seconds: UInt64?) {
      self.name = name
      self.key = key
      self.grants = grants
      self.seconds = seconds
    }
  }

  /// The data that a client needs to enrol.
  package struct Invitation: Hashable, Sendable {
    /// The daemon's public key.
    package var daemon: [UInt8]
    /// The ticket's secret key.
    package var ticket: [UInt8]
    /// The addresses at which the daemon listens.
    package var addresses: [String]

    package init(daemon: [UInt8], ticket: [UInt8], addresses: [String]) {
      self.daemon = daemon
      self.ticket = ticket
      self.addresses = addresses
    }
  }
}

extension KeyCommand {
  func encode(to encoder: inout CBOREncoder) {
    switch self {
    case .list: encoder.message(0, 0)
    case .invite(let name, let grants, let seconds):
      encoder.message(1, 3)
      encoder.encode(text: name)
      encoder.encode(texts: grants)
      encoder.encode(unsigned: seconds)
    case .revoke(let name):
      encoder.message(2, 1)
      encoder.encode(text: name)
    case .enrol(let key):
      encoder.message(3, 1)
      encoder.encode(bytes: key)
    }
  }

  init(from decoder: inout CBORDecoder) throws(MessageError) {
    let (kind, rest) = try decoder.message()
    let taken: Int
    switch kind {
    case 0:
      taken = 0
      self = .list
    case 1:
      taken = try decoder.require(3, of: rest, "an invitation")
      self = .invite(
        name: try decoder.text(),
        grants: try decoder.texts(),
        seconds: try decoder.unsigned(),
      )
    case 2:
      taken = try decoder.require(1, of: rest, "a revocation")
      self = .revoke(name: try decoder.text())
    case 3:
      taken = try decoder.require(1, of: rest, "an enrolment")
      self = .enrol(key: try decoder.key())
    default: throw decoder.error(.typeMismatch, "expected a command for keys, found kind \(kind)")
    }
    try decoder.skipItems(rest - taken)
  }
}

extension KeyAnswer {
  package func encode(to encoder: inout CBOREncoder) {
    switch self {
    case .keys(let entries):
      encoder.message(0, 1)
      encoder.arrayHeader(entries.count)
      for entry in entries { entry.encode(to: &encoder) }
    case .invited(let invitation):
      encoder.message(1, 3)
      encoder.encode(bytes: invitation.daemon)
      encoder.encode(bytes: invitation.ticket)
      encoder.encode(texts: invitation.addresses)
    case .done(let name, let warning):
      encoder.message(2, warning == nil ? 1 : 2)
      encoder.encode(text: name)
      if let warning { encoder.encode(text: warning) }
    case .failed(let code, let message): encoder.failure(3, code, message)
    }
  }

  package init(from decoder: inout CBORDecoder) throws(CodecError) {
    let (kind, rest) = try decoder.message()
    let taken: Int
    switch kind {
    case 0:
      taken = try decoder.require(1, of: rest, "keys")
      self = .keys(try decoder.list { (d) throws(CodecError) in try Entry(from: &d) })
    case 1:
      taken = try decoder.require(3, of: rest, "a ticket")
      self = .invited(
        Invitation(
          daemon: try decoder.key(),
          ticket: try decoder.key(),
          addresses: try decoder.texts(),
        )
      )
    case 2:
      taken = min(try decoder.require(1, of: rest, "a name") + 1, rest)
      self = .done(name: try decoder.text(), warning: taken > 1 ? try decoder.text() : nil)
    case 3:
      taken = try decoder.require(2, of: rest, "a refusal")
      self = .failed(code: try decoder.text(), message: try decoder.text())
    default: throw decoder.error(.typeMismatch, "expected an answer on keys, found kind \(kind)")
    }
    try decoder.skipItems(rest - taken)
  }
}

extension KeyAnswer.Entry {
  fileprivate func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(4)
    encoder.encode(text: name)
    if let key { encoder.encode(bytes: key) } else { encoder.encodeNull() }
    encoder.encode(texts: grants)
    encoder.encode(optional: seconds)
  }

  fileprivate init(from decoder: inout CBORDecoder) throws(CodecError) {
    let count = try decoder.arrayHeader()
    try decoder.require(4, of: count, "a key")
    name = try decoder.text()
    key = try decoder.nullIfPresent() ? nil : try decoder.key()
    grants = try decoder.texts()
    seconds = try decoder.optionalUnsigned()
    try decoder.skipItems(count - 4)
  }
}

extension CBORDecoder {
  fileprivate mutating func key() throws(CodecError) -> [UInt8] {
    let bytes = try byteString()
    guard bytes.count == KeyText.keyBytes else {
      throw error(
        .typeMismatch,
        "expected a key of \(KeyText.keyBytes) bytes, found \(bytes.count) bytes",
      )
    }
    return Array(bytes)
  }
}
