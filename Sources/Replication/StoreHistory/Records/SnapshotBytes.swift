import StoreProtocol
package import StoreState

/// The bytes of a snapshot: the root and its related data, in a map with numbered keys.
///
/// Earlier builds wrote the same items as an array.
package enum SnapshotBytes {
  /// The fields' numbers.
  ///
  /// An unknown number belongs to a later release, and is ignored.
  private enum Field {
    static let revision: UInt64 = 0
    static let sessionNumbers: UInt64 = 1
    static let sessions: UInt64 = 2
    static let clients: UInt64 = 3
    static let effects: UInt64 = 4
    static let root: UInt64 = 5
    static let count = 6
    /// Only if there are schedules.
    static let timers: UInt64 = 6
  }

  package static func encode(
    revision: UInt64,
    _ history: KeptHistory,
    root: (inout CBOREncoder) -> Void,
  ) -> [UInt8] {
    var encoder = CBOREncoder.durable
    encoder.mapHeader(Field.count + (history.timers.isEmpty ? 0 : 1))
    encoder.encode(unsigned: Field.revision)
    encoder.encode(unsigned: revision)
    encoder.encode(unsigned: Field.sessionNumbers)
    encoder.encode(unsigned: history.sessionNumbers)
    encoder.encode(unsigned: Field.sessions)
    encoder.arrayHeader(history.sessions.count)
    for (_, session) in history.sessions.sorted(by: { $0.key < $1.key }) {
      encoder.arrayHeader(4)
      session.encode(to: &encoder)
    }
    encoder.encode(unsigned: Field.clients)
    encoder.arrayHeader(history.clients.count)
    for client in history.clients {
      encoder.arrayHeader(4)
      encoder.encode(client.id)
      encoder.encode(unsigned: client.last)
      encoder.arrayHeader(client.outcomes.count)
      for outcome in client.outcomes { outcome.encode(to: &encoder) }
      client.holder.encode(to: &encoder)
    }
    encoder.encode(unsigned: Field.effects)
    encoder.arrayHeader(history.effects.count)
    for (number, effect) in history.effects.sorted(by: { $0.key < $1.key }) {
      JournalRecord.RunningEffect(number: number, effect: effect).encode(to: &encoder)
    }
    encoder.encode(unsigned: Field.root)
    root(&encoder)
    if !history.timers.isEmpty {
      encoder.encode(unsigned: Field.timers)
      encoder.arrayHeader(history.timers.count)
      for (number, timer) in history.timers.sorted(by: { $0.key < $1.key }) {
        JournalRecord.ScheduledTimer(number: number, timer: timer).encode(to: &encoder)
      }
    }
    return encoder.bytes
  }

  /// The revision of a snapshot whose root is not decoded: the root's form is checked here.
  static func revision(of bytes: ArraySlice<UInt8>) throws(CodecError) -> UInt64 {
    let (revision, _, root) = try decode(bytes)
    var decoder = CBORDecoder(root)
    _ = try decoder.rawItem()
    try decoder.finish()
    return revision
  }

  /// The parts of a snapshot.
  ///
  /// The bytes of the root are one item, which its decoder checks: a check here would take as long
  /// as hashing them.
  package typealias Parts = (revision: UInt64, history: KeptHistory, root: ArraySlice<UInt8>)

  /// Splits a snapshot into its parts.
  package static func decode(_ bytes: ArraySlice<UInt8>) throws(CodecError) -> Parts {
    var decoder = CBORDecoder(bytes)
    var parts: Parts = (0, KeptHistory(), [])
    guard try decoder.peekKind() == .map else {
      try decoder.expectArray(of: Field.count, "a snapshot")
      for field in 0..<Field.root { try take(field, of: &decoder, to: &parts) }
      parts.root = bytes.dropFirst(decoder.offset)
      return parts
    }
    let count = try decoder.mapHeader()
    var next: UInt64 = 0
    for place in 0..<count {
      let field = try decoder.unsigned()
      guard field == next || field >= max(next, UInt64(Field.count)) else {
        throw decoder.error(.typeMismatch, "expected field \(next) of a snapshot, found \(field)")
      }
      next = field + 1
      if field != Field.root {
        try take(field, of: &decoder, to: &parts)
      } else if place == count - 1 {
        parts.root = bytes.dropFirst(decoder.offset)
      } else {
        parts.root = try decoder.rawItem()
      }
    }
    guard next >= Field.count else {
      throw decoder.error(.typeMismatch, "a snapshot has no field \(next)")
    }
    // The root extends to the end of the bytes if no field follows it.
    if next > Field.count { try decoder.finish() }
    return parts
  }

  private static func take(
    _ field: UInt64,
    of decoder: inout CBORDecoder,
    to parts: inout Parts,
  ) throws(CodecError) {
    switch field {
    case Field.revision: parts.revision = try decoder.revision(atLeast: 0)
    case Field.sessionNumbers:
      let last = try decoder.unsigned()
      guard last <= 2 * KeptHistory.greatestNumber else {
        throw decoder.error(.typeMismatch, "no session has the number \(last)")
      }
      parts.history.sessionNumbers = last
    case Field.sessions:
      let sessions = try decoder.list { (decoder) throws(CodecError) in
        let count = try decoder.arrayHeader()
        return try SessionInfo(from: &decoder, count)
      }
      for session in sessions { parts.history.sessions[session.id] = session }
    case Field.clients:
      parts.history.clients = try decoder.list { (decoder) throws(CodecError) in
        try KeptHistory.Client(from: &decoder)
      }
    case Field.effects:
      let effects = try decoder.list { (decoder) throws(CodecError) in
        try JournalRecord.RunningEffect(from: &decoder)
      }
      for running in effects { parts.history.effects[running.number] = running.effect }
    case Field.timers:
      let timers = try decoder.list { (decoder) throws(CodecError) in
        try JournalRecord.ScheduledTimer(from: &decoder)
      }
      for scheduled in timers { parts.history.timers[scheduled.number] = scheduled.timer }
    default: try decoder.skipItem()
    }
  }
}

extension KeptHistory.Client {
  fileprivate init(from decoder: inout CBORDecoder) throws(CodecError) {
    let count = try decoder.arrayHeader()
    let taken = try decoder.require(3, of: count, "a client")
    id = try decoder.identifier()
    last = try decoder.unsigned()
    guard last <= ActionSequence.greatest else {
      throw decoder.error(.typeMismatch, "no client has sent \(last) actions")
    }
    outcomes = try decoder.list { (decoder) throws(CodecError) in try Outcome(from: &decoder) }
    // Earlier builds did not record the holder.
    holder = count > taken ? try ClientHolder(from: &decoder) : .unknown
    try decoder.skipItems(max(0, count - taken - 1))
  }
}

extension ClientHolder {
  /// Writes a user's number, a key's name, or null for an unidentified peer.
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
