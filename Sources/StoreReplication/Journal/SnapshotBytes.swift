import StoreState

/// The bytes of a snapshot: the root and what belongs to it.
enum SnapshotBytes {
  static func encode(
    revision: UInt64,
    _ history: KeptHistory,
    root: (inout CBOREncoder) -> Void,
  ) -> [UInt8] {
    var encoder = CBOREncoder.durable
    encoder.arrayHeader(6)
    encoder.encode(unsigned: revision)
    encoder.encode(unsigned: history.sessionNumbers)
    encoder.arrayHeader(history.sessions.count)
    for (_, session) in history.sessions.sorted(by: { $0.key < $1.key }) {
      encoder.arrayHeader(4)
      session.encode(to: &encoder)
    }
    encoder.arrayHeader(history.clients.count)
    for client in history.clients {
      encoder.arrayHeader(4)
      encoder.encode(client.id)
      encoder.encode(unsigned: client.last)
      encoder.arrayHeader(client.outcomes.count)
      for outcome in client.outcomes { outcome.encode(to: &encoder) }
      client.holder.encode(to: &encoder)
    }
    encoder.arrayHeader(history.effects.count)
    for (number, effect) in history.effects.sorted(by: { $0.key < $1.key }) {
      JournalRecord.RunningEffect(number: number, effect: effect).encode(to: &encoder)
    }
    root(&encoder)
    return encoder.bytes
  }

  /// The revision of a snapshot whose root nobody decodes: it is looked at here.
  static func revision(of bytes: ArraySlice<UInt8>) throws(CodecError) -> UInt64 {
    let (revision, _, root) = try decode(bytes)
    var decoder = CBORDecoder(root)
    _ = try decoder.rawItem()
    try decoder.finish()
    return revision
  }

  /// Takes a snapshot apart.
  ///
  /// - Returns: The bytes of the root, too, which whoever decodes them finds to be one item: to
  ///   look takes as long as to hash them.
  static func decode(
    _ bytes: ArraySlice<UInt8>
  ) throws(CodecError) -> (revision: UInt64, history: KeptHistory, root: ArraySlice<UInt8>) {
    var decoder = CBORDecoder(bytes)
    try decoder.expectArray(of: 6, "a snapshot")
    let revision = try decoder.revision(atLeast: 0)
    var history = KeptHistory()
    history.sessionNumbers = try decoder.unsigned()
    guard history.sessionNumbers <= 2 * KeptHistory.greatestNumber else {
      throw decoder.error(.typeMismatch, "no session has the number \(history.sessionNumbers)")
    }
    let sessions = try decoder.list { (decoder) throws(CodecError) in
      let count = try decoder.arrayHeader()
      return try SessionInfo(from: &decoder, count)
    }
    for session in sessions { history.sessions[session.id] = session }
    history.clients = try decoder.list { (decoder) throws(CodecError) in
      try KeptHistory.Client(from: &decoder)
    }
    let effects = try decoder.list { (decoder) throws(CodecError) in
      try JournalRecord.RunningEffect(from: &decoder)
    }
    for running in effects { history.effects[running.number] = running.effect }
    return (revision, history, bytes[decoder.offset...])
  }
}

extension KeptHistory.Client {
  fileprivate init(from decoder: inout CBORDecoder) throws(CodecError) {
    let count = try decoder.arrayHeader()
    let taken = try decoder.require(3, of: count, "a client")
    id = try decoder.identifier()
    last = try decoder.unsigned()
    guard last <= OutcomeTable.greatestSequence else {
      throw decoder.error(.typeMismatch, "no client has sent \(last) actions")
    }
    outcomes = try decoder.list { (decoder) throws(CodecError) in try Outcome(from: &decoder) }
    // Earlier builds did not say whose it is.
    holder = count > taken ? try ClientHolder(from: &decoder) : .unknown
    try decoder.skipItems(max(0, count - taken - 1))
  }
}

extension ClientHolder {
  /// A user's number, a key's name, or null for nobody.
  fileprivate func encode(to encoder: inout CBOREncoder) {
    switch self {
    case .user(let user): encoder.encode(unsigned: UInt64(user))
    case .key(let name): encoder.encode(text: name)
    case .unknown: encoder.encodeNull()
    }
  }

  fileprivate init(from decoder: inout CBORDecoder) throws(CodecError) {
    if try decoder.nullIfPresent() {
      self = .unknown
    } else if try decoder.peekKind() == .text {
      self = .key(try decoder.text())
    } else {
      self = .user(UInt32(clamping: try decoder.unsigned()))
    }
  }
}
