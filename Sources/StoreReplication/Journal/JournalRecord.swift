package import StoreActor
package import StoreState

/// What a journal keeps of one revision: who caused it, and what it changed.
package struct JournalRecord: Hashable, Sendable {
  /// What caused a revision.
  package enum Origin: Hashable, Sendable {
    /// An effect, or the daemon's own program.
    case daemon
    /// An action of a client.
    case client(ClientAction)
    /// A listed session that came or went.
    case session(SessionEvent)
  }

  /// An action of a client, as it came.
  package struct ClientAction: Hashable, Sendable {
    package var client: Identifier
    /// The number of the client's session.
    package var session: UInt64
    /// The action's number among those of the client.
    package var sequence: UInt64
    /// The name of the scope that it was sent to.
    package var scope: String
    /// Its bytes.
    package var action: [UInt8]
    /// Who sent it.
    package var identity: ActionOrigin.Identity

    package init(
      client: Identifier,
      session: UInt64,
      sequence: UInt64,
      scope: String,
      action: [UInt8],
      identity: ActionOrigin.Identity = .unknown,
    ) {
      self.client = client
      self.session = session
      self.sequence = sequence
      self.scope = scope
      self.action = action
      self.identity = identity
    }
  }

  package var revision: UInt64
  /// When it was reduced, in milliseconds since 1970.
  package var wallMilliseconds: UInt64
  package var origin: Origin
  /// The delta of the whole root in its durable form; nil when nothing changed.
  package var delta: [UInt8]?

  package init(
    revision: UInt64,
    wallMilliseconds: UInt64,
    origin: Origin,
    delta: [UInt8]?,
  ) {
    self.revision = revision
    self.wallMilliseconds = wallMilliseconds
    self.origin = origin
    self.delta = delta
  }
}

// MARK: - Bytes

extension JournalRecord {
  /// Writes a record; `encodeDelta` writes the root's delta, and returns false when there is none.
  ///
  /// - Returns: The delta's bytes.
  @discardableResult
  static func encode(
    revision: UInt64,
    wallMilliseconds: UInt64,
    origin: Origin,
    to encoder: inout CBOREncoder,
    delta encodeDelta: (inout CBOREncoder) -> Bool,
  ) -> Int {
    let mark = encoder.mark
    encodeHead(4, revision, wallMilliseconds, origin, to: &encoder)
    let start = encoder.bytes.count
    if encodeDelta(&encoder) { return encoder.bytes.count - start }
    encoder.truncate(to: mark)
    encodeHead(3, revision, wallMilliseconds, origin, to: &encoder)
    return 0
  }

  private static func encodeHead(
    _ count: Int,
    _ revision: UInt64,
    _ wallMilliseconds: UInt64,
    _ origin: Origin,
    to encoder: inout CBOREncoder,
  ) {
    encoder.arrayHeader(count)
    encoder.encode(unsigned: revision)
    encoder.encode(unsigned: wallMilliseconds)
    origin.encode(to: &encoder)
  }

  /// Writes the record.
  package func encode(to encoder: inout CBOREncoder) {
    Self.encode(
      revision: revision,
      wallMilliseconds: wallMilliseconds,
      origin: origin,
      to: &encoder,
    ) { encoder in
      guard let delta else { return false }
      encoder.append(raw: delta)
      return true
    }
  }

  /// Reads a record.
  package init(from decoder: inout CBORDecoder) throws(CodecError) {
    let count = try decoder.arrayHeader()
    guard count == 3 || count == 4 else {
      throw decoder.error(.typeMismatch, "expected a record of 3 or 4 items, found \(count)")
    }
    revision = try decoder.unsigned()
    wallMilliseconds = try decoder.unsigned()
    origin = try Origin(from: &decoder)
    delta = count == 4 ? Array(try decoder.rawItem()) : nil
  }
}

extension JournalRecord.Origin {
  fileprivate func encode(to encoder: inout CBOREncoder) {
    switch self {
    case .daemon: encoder.encodeNull()
    case .client(let action):
      encoder.arrayHeader(7)
      encoder.encode(unsigned: 1)
      encoder.encode(action.client)
      encoder.encode(unsigned: action.session)
      encoder.encode(unsigned: action.sequence)
      encoder.encode(text: action.scope)
      encoder.encode(bytes: action.action)
      action.identity.encode(to: &encoder)
    case .session(.joined(let info)): info.encode(kind: 2, to: &encoder)
    case .session(.left(let info)): info.encode(kind: 3, to: &encoder)
    }
  }

  fileprivate init(from decoder: inout CBORDecoder) throws(CodecError) {
    if try decoder.nullIfPresent() {
      self = .daemon
      return
    }
    let (kind, rest) = try decoder.message()
    switch kind {
    case 1:
      let taken = try decoder.require(5, of: rest, "a client's action")
      self = .client(
        JournalRecord.ClientAction(
          client: try decoder.identifier(),
          session: try decoder.unsigned(),
          sequence: try decoder.unsigned(),
          scope: try decoder.text(),
          action: try decoder.byteString(),
          identity: rest > taken ? try ActionOrigin.Identity(from: &decoder) : .unknown,
        )
      )
      try decoder.skipItems(max(0, rest - taken - 1))
    case 2: self = .session(.joined(try SessionInfo(from: &decoder, rest)))
    case 3: self = .session(.left(try SessionInfo(from: &decoder, rest)))
    default: throw decoder.error(.typeMismatch, "expected an origin, found kind \(kind)")
    }
  }
}

extension ActionOrigin.Identity {
  /// A client's: its user, group and process, or null where nobody knows.
  fileprivate func encode(to encoder: inout CBOREncoder) {
    guard case .user(let user, let group, let process) = self else { return encoder.encodeNull() }
    encoder.arrayHeader(3)
    for number in [user, group, process] { encoder.encode(unsigned: UInt64(number)) }
  }

  fileprivate init(from decoder: inout CBORDecoder) throws(CodecError) {
    if try decoder.nullIfPresent() {
      self = .unknown
      return
    }
    try decoder.expectArray(of: 3, "an identity")
    self = .user(
      UInt32(clamping: try decoder.unsigned()),
      group: UInt32(clamping: try decoder.unsigned()),
      process: UInt32(clamping: try decoder.unsigned()),
    )
  }
}

extension SessionInfo {
  fileprivate func encode(kind: UInt64, to encoder: inout CBOREncoder) {
    encoder.arrayHeader(4)
    encoder.encode(unsigned: kind)
    encode(to: &encoder)
  }

  /// Writes three items.
  func encode(to encoder: inout CBOREncoder) {
    encoder.encode(unsigned: id)
    encoder.encode(text: name)
    encoder.encode(text: address)
  }

  init(from decoder: inout CBORDecoder, _ count: Int) throws(CodecError) {
    let taken = try decoder.require(3, of: count, "a session")
    self.init(
      id: try decoder.unsigned(),
      name: try decoder.text(),
      address: try decoder.text(),
    )
    try decoder.skipItems(count - taken)
  }
}
