package import StoreActor
package import StoreBytes
package import StoreProtocol
import StoreState

/// A journal's record of one revision: its cause, and its changes.
package struct JournalRecord: Hashable, Sendable {
  /// The cause of a revision.
  package enum Origin: Hashable, Sendable {
    /// No action was reduced: effects with names began or ended, or code outside reducers changed
    /// shared values.
    case daemon
    /// An action of an effect, or of the daemon's own program.
    case `internal`(InternalAction)
    /// An action of a client.
    case client(ClientAction)
    /// A listed session that joined or left.
    case session(SessionEvent)
    /// The daemon has started again.
    case restored(Restoration)
  }

  /// An action that no client sent.
  package struct InternalAction: Hashable, Sendable {
    /// Its name, if that does not follow from its form.
    fileprivate let ownName: String?
    /// Its bytes; nil if it has no form.
    package let form: Form?
    /// The effect that has sent it; nil if none has, and in records of earlier builds.
    package let cause: EffectCause?

    /// Its cases, and the ids of elements: `game.timer.ticked`.
    ///
    /// Complexity: O(n) in the form's length, because a daemon that starts reads no names.
    package var name: String {
      ownName ?? form.flatMap { ActionName.path(of: $0.action) } ?? ""
    }

    package struct Form: Hashable, Sendable {
      /// The scope that clients could have sent it to; nil if the bytes are the durable form of
      /// the root's action.
      package var scope: String?
      package var action: [UInt8]

      package init(scope: String?, action: [UInt8]) {
        self.scope = scope
        self.action = action
      }
    }

    package init(name: String, form: Form? = nil, cause: EffectCause? = nil) {
      let path = form.flatMap { ActionName.path(of: $0.action) }
      self.init(ownName: path == name ? nil : name, form: form, cause: cause)
    }

    fileprivate init(ownName: String?, form: Form?, cause: EffectCause?) {
      self.ownName = ownName
      self.form = form
      self.cause = cause
    }
  }

  /// An effect with a name that began.
  package struct RunningEffect: Hashable, Sendable {
    /// The number by which a later record identifies its end.
    package var number: UInt64
    package var effect: InterruptedEffect

    package init(number: UInt64, effect: InterruptedEffect) {
      self.number = number
      self.effect = effect
    }
  }

  /// A schedule with its number.
  package struct ScheduledTimer: Hashable, Sendable {
    /// The number by which later records identify it.
    package var number: UInt64
    package var timer: DurableTimer

    package init(number: UInt64, timer: DurableTimer) {
      self.number = number
      self.timer = timer
    }
  }

  /// A firing of a schedule.
  package struct Firing: Hashable, Sendable {
    /// The schedule's number.
    package var number: UInt64
    /// When it was due, in seconds since 2001.
    package var due: Double
    /// When it is due next; nil if the schedule has ended.
    package var next: Double?

    package init(number: UInt64, due: Double, next: Double?) {
      self.number = number
      self.due = due
      self.next = next
    }
  }

  /// An action of a client, as received.
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
    /// The sender's identity.
    package var identity: ActionOrigin.Identity
    /// The name that the client chose, in the first record of its session; nil in others.
    package var name: String?

    package init(
      client: Identifier,
      session: UInt64,
      sequence: UInt64,
      scope: String,
      action: [UInt8],
      identity: ActionOrigin.Identity = .unknown,
      name: String? = nil,
    ) {
      self.name = name
      self.client = client
      self.session = session
      self.sequence = sequence
      self.scope = scope
      self.action = action
      self.identity = identity
    }
  }

  package var revision: UInt64
  /// The time of the reduction, in milliseconds since 1970.
  package var wallMilliseconds: UInt64
  package var origin: Origin
  /// The delta of the whole root in its durable form; nil if the root is unchanged.
  package var delta: [UInt8]?
  package var details: Details

  package init(
    revision: UInt64,
    wallMilliseconds: UInt64,
    origin: Origin,
    delta: [UInt8]?,
    details: Details = Details(),
  ) {
    self.details = details
    self.revision = revision
    self.wallMilliseconds = wallMilliseconds
    self.origin = origin
    self.delta = delta
  }
}

// MARK: - Bytes

extension JournalRecord {
  /// Writes a record.
  ///
  /// - Parameters:
  ///   - revision: Its revision.
  ///   - wallMilliseconds: The time of the reduction, in milliseconds since 1970.
  ///   - details: Further facts.
  ///   - encoder: The encoder to write to.
  ///   - encodeOrigin: Writes the revision's cause.
  ///   - encodeDelta: Writes the root's delta; false if the root is unchanged.
  /// - Returns: The delta's bytes.
  @discardableResult
  package static func encode(
    revision: UInt64,
    wallMilliseconds: UInt64,
    details: Details,
    to encoder: inout CBOREncoder,
    origin encodeOrigin: (inout CBOREncoder) -> Void,
    delta encodeDelta: (inout CBOREncoder) -> Bool,
  ) -> Int {
    encoder.arrayHeader(5)
    encoder.encode(unsigned: revision)
    encoder.encode(unsigned: wallMilliseconds)
    encodeOrigin(&encoder)
    let start = encoder.count
    let hasChanged = encodeDelta(&encoder)
    let changed = hasChanged ? encoder.count - start : 0
    if !hasChanged { encoder.encodeNull() }
    details.encode(to: &encoder)
    return changed
  }

  /// Writes the record.
  package func encode(to encoder: inout CBOREncoder) {
    Self.encode(
      revision: revision,
      wallMilliseconds: wallMilliseconds,
      details: details,
      to: &encoder,
      origin: { origin.encode(to: &$0) },
      delta: { encoder in
        guard let delta else { return false }
        encoder.append(raw: delta)
        return true
      },
    )
  }

  /// The time of the record at the start of some bytes, which may be incomplete; nil if the time
  /// cannot be read.
  package static func time(ofStart bytes: ArraySlice<UInt8>) -> UInt64? {
    var decoder = CBORDecoder(bytes)
    do throws(CodecError) {
      try decoder.expectArray(of: 5, "a record")
      _ = try decoder.unsigned()
      return try decoder.unsigned()
    } catch {
      return nil
    }
  }

  /// Reads a record.
  package init(from decoder: inout CBORDecoder) throws(CodecError) {
    try decoder.expectArray(of: 5, "a record")
    revision = try decoder.revision(atLeast: 1)
    wallMilliseconds = try decoder.unsigned()
    origin = try Origin(from: &decoder)
    delta = try decoder.nullIfPresent() ? nil : Array(try decoder.rawItem())
    details = try Details(from: &decoder)
  }
}

extension JournalRecord.RunningEffect {
  /// The fields' numbers.
  ///
  /// An unknown number belongs to a later release, and is ignored.
  private enum Field {
    static let number: UInt64 = 0
    static let name: UInt64 = 1
    static let path: UInt64 = 2
    /// Only if it is not 0.
    static let crashes: UInt64 = 3
  }

  /// Writes a map with numbered keys.
  func encode(to encoder: inout CBOREncoder) {
    encoder.mapHeader(effect.crashes > 0 ? 4 : 3)
    encoder.encode(unsigned: Field.number)
    encoder.encode(unsigned: number)
    encoder.encode(unsigned: Field.name)
    encoder.encode(text: effect.name)
    encoder.encode(unsigned: Field.path)
    encoder.encode(texts: effect.path)
    guard effect.crashes > 0 else { return }
    encoder.encode(unsigned: Field.crashes)
    encoder.encode(unsigned: UInt64(effect.crashes))
  }

  /// Reads a map, or an array of the same items, which earlier builds wrote.
  init(from decoder: inout CBORDecoder) throws(CodecError) {
    guard try decoder.peekKind() == .map else {
      try decoder.expectArray(of: 3, "an effect")
      number = try decoder.unsigned()
      effect = try InterruptedEffect(from: &decoder)
      return
    }
    var (number, name, path): (UInt64?, String?, [String]?)
    var crashes: UInt64 = 0
    for _ in 0..<(try decoder.mapHeader()) {
      switch try decoder.unsigned() {
      case Field.number: number = try decoder.unsigned()
      case Field.name: name = try decoder.text()
      case Field.path: path = try decoder.texts()
      case Field.crashes: crashes = try decoder.unsigned()
      default: try decoder.skipItem()
      }
    }
    guard let number, let name, let path else {
      throw decoder.error(.typeMismatch, "an effect has a number, a name and a path")
    }
    self.number = number
    effect = InterruptedEffect(name: name, path: path, crashes: Int(Int32(clamping: crashes)))
  }
}

extension InterruptedEffect {
  /// Writes two items.
  fileprivate func encode(to encoder: inout CBOREncoder) {
    encoder.encode(text: name)
    encoder.encode(texts: path)
  }

  fileprivate init(from decoder: inout CBORDecoder) throws(CodecError) {
    self.init(
      name: try decoder.text(),
      path: try decoder.texts(),
    )
  }
}

extension JournalRecord.ClientAction {
  /// The bytes of each record of a session before an action's sequence, and after its action.
  static func surroundings(
    _ client: Identifier,
    _ session: UInt64,
    _ identity: ActionOrigin.Identity,
  ) -> (start: [UInt8], end: [UInt8]) {
    var start = CBOREncoder.durable
    var end = CBOREncoder.durable
    start.arrayHeader(7)
    start.encode(unsigned: 1)
    start.encode(client)
    start.encode(unsigned: session)
    identity.encode(to: &end)
    return (start.bytes, end.bytes)
  }

  fileprivate init(from decoder: inout CBORDecoder, _ count: Int) throws(CodecError) {
    var taken = try decoder.require(5, of: count, "a client's action")
    self.init(
      client: try decoder.identifier(),
      session: try decoder.unsigned(),
      sequence: try decoder.sequence(),
      scope: try decoder.text(),
      action: try decoder.byteString(),
    )
    // Earlier builds wrote no identity.
    if count > taken {
      identity = try ActionOrigin.Identity(from: &decoder)
      taken += 1
    }
    if count > taken, try decoder.peekKind() == .text {
      name = try decoder.text()
      taken += 1
    }
    try decoder.skipItems(count - taken)
  }

  fileprivate func encode(to encoder: inout CBOREncoder) {
    RecordedSession(client: client, number: session, identity: identity, name: name)
      .encode(action, sequence, to: scope, &encoder)
  }
}

extension Restoration {
  /// The bits of its flags, in a record.
  private enum Flag {
    static let wasStopped: UInt64 = 1
    static let isFirst: UInt64 = 2
    static let isNoRestart: UInt64 = 4
    static let isHeldBack: UInt64 = 8
  }

  fileprivate var flags: UInt64 {
    (wasStopped ? Flag.wasStopped : 0) | (isFirst ? Flag.isFirst : 0)
      | (isRestart ? 0 : Flag.isNoRestart) | (isHeldBack ? Flag.isHeldBack : 0)
  }

  fileprivate init(_ flags: UInt64, _ interrupted: [InterruptedEffect]) {
    self.init(wasStopped: flags & Flag.wasStopped != 0, interrupted: interrupted)
    isFirst = flags & Flag.isFirst != 0
    isRestart = flags & Flag.isNoRestart == 0
    isHeldBack = flags & Flag.isHeldBack != 0
  }
}

extension JournalRecord.Origin {
  package func encode(to encoder: inout CBOREncoder) {
    switch self {
    case .daemon: encoder.encodeNull()
    case .client(let action): action.encode(to: &encoder)
    case .session(.joined(let info)): info.encode(kind: 2, to: &encoder)
    case .session(.left(let info)): info.encode(kind: 3, to: &encoder)
    case .restored(let restoration):
      encoder.arrayHeader(3)
      encoder.encode(unsigned: 4)
      encoder.encode(unsigned: restoration.flags)
      encoder.arrayHeader(restoration.interrupted.count)
      for effect in restoration.interrupted {
        encoder.arrayHeader(effect.crashes > 0 ? 3 : 2)
        effect.encode(to: &encoder)
        if effect.crashes > 0 { encoder.encode(unsigned: UInt64(effect.crashes)) }
      }
    case .internal(let action):
      encoder.arrayHeader((action.form == nil ? 2 : 4) + (action.cause == nil ? 0 : 2))
      encoder.encode(unsigned: action.cause == nil ? 5 : 6)
      if let name = action.ownName { encoder.encode(text: name) } else { encoder.encodeNull() }
      if let cause = action.cause {
        encoder.encode(unsigned: cause.revision)
        if let name = cause.name { encoder.encode(text: name) } else { encoder.encodeNull() }
      }
      guard let form = action.form else { return }
      if let scope = form.scope { encoder.encode(text: scope) } else { encoder.encodeNull() }
      encoder.encode(bytes: form.action)
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
      self = .client(try JournalRecord.ClientAction(from: &decoder, rest))
    case 2: self = .session(.joined(try SessionInfo(from: &decoder, rest)))
    case 3: self = .session(.left(try SessionInfo(from: &decoder, rest)))
    case 4:
      let taken = try decoder.require(2, of: rest, "a restoration")
      let flags = try decoder.unsigned()
      let interrupted = try decoder.list { (d) throws(CodecError) in
        let count = try d.arrayHeader()
        guard count >= 2 else {
          throw d.error(.typeMismatch, "an effect has a name and a path")
        }
        var effect = try InterruptedEffect(from: &d)
        if count > 2 { effect.crashes = Int(Int32(clamping: try d.unsigned())) }
        try d.skipItems(max(0, count - 3))
        return effect
      }
      try decoder.skipItems(rest - taken)
      self = .restored(Restoration(flags, interrupted))
    case 5, 6:
      let least = kind == 5 ? 1 : 3
      let taken = try decoder.require(rest >= least + 2 ? least + 2 : least, of: rest, "an action")
      let name = try decoder.nullIfPresent() ? nil : try decoder.text()
      var cause: EffectCause?
      if kind == 6 {
        cause = EffectCause(
          revision: try decoder.unsigned(),
          name: try decoder.nullIfPresent() ? nil : try decoder.text(),
        )
      }
      var form: JournalRecord.InternalAction.Form?
      if taken > least {
        form = JournalRecord.InternalAction.Form(
          scope: try decoder.nullIfPresent() ? nil : try decoder.text(),
          action: try decoder.byteString(),
        )
      }
      guard name != nil || form.map({ ActionName.hasPath($0.action) }) == true else {
        throw decoder.error(.typeMismatch, "an action without a name has a form with cases")
      }
      try decoder.skipItems(rest - taken)
      self = .internal(JournalRecord.InternalAction(ownName: name, form: form, cause: cause))
    default: throw decoder.error(.typeMismatch, "expected an origin, found kind \(kind)")
    }
  }
}

extension ActionOrigin {
  /// Writes the session, or null, and the identity; for the daemon's process null alone.
  func encode(to encoder: inout CBOREncoder) {
    if case .process = identity { return encoder.encodeNull() }
    encoder.arrayHeader(2)
    if let session { encoder.encode(unsigned: session) } else { encoder.encodeNull() }
    identity.encode(to: &encoder)
  }

  init(from decoder: inout CBORDecoder) throws(CodecError) {
    if try decoder.nullIfPresent() {
      self = .process
      return
    }
    try decoder.expectArray(of: 2, "an origin")
    let session = try decoder.nullIfPresent() ? nil : try decoder.unsigned()
    self.init(identity: try Identity(from: &decoder), session: session)
  }
}

extension ActionOrigin.Identity {
  /// Writes an identity: user, group and process; the name of a key; true for the loopback
  /// interface; or null if it is unknown.
  func encode(to encoder: inout CBOREncoder) {
    if let key { return encoder.encode(text: key) }
    if case .loopback = self { return encoder.encode(bool: true) }
    guard case .user(let user, let group, let process) = self else { return encoder.encodeNull() }
    encoder.arrayHeader(3)
    encoder.encode(unsigned: UInt64(user))
    encoder.encode(unsigned: UInt64(group))
    encoder.encode(unsigned: UInt64(process))
  }

  init(from decoder: inout CBORDecoder) throws(CodecError) {
    if try decoder.nullIfPresent() {
      self = .unknown
      return
    }
    switch try decoder.peekKind() {
    case .text:
      self = .key(try decoder.text())
      return
    case .bool:
      self = try decoder.bool() ? .loopback : .unknown
      return
    default: try decoder.expectArray(of: 3, "an identity")
    }
    self = .user(
      UInt32(clamping: try decoder.unsigned()),
      group: UInt32(clamping: try decoder.unsigned()),
      process: UInt32(clamping: try decoder.unsigned()),
    )
  }
}

extension ActionOrigin.Identity {
  /// The identity in the address of a session that an earlier build has recorded.
  fileprivate init(writtenAs address: String) {
    guard address.hasPrefix("key:") else {
      self.init(place: address)
      return
    }
    self = .key(String(address.dropFirst("key:".count).prefix { $0 != "@" }))
  }
}

extension SessionInfo {
  fileprivate func encode(kind: UInt64, to encoder: inout CBOREncoder) {
    encoder.arrayHeader(5)
    encoder.encode(unsigned: kind)
    encode(to: &encoder)
  }

  /// Writes four items.
  func encode(to encoder: inout CBOREncoder) {
    encoder.encode(unsigned: id)
    encoder.encode(text: name)
    encoder.encode(text: address)
    identity.encode(to: &encoder)
  }

  init(from decoder: inout CBORDecoder, _ count: Int) throws(CodecError) {
    try decoder.require(3, of: count, "a session")
    self.init(
      id: try decoder.unsigned(),
      name: try decoder.text(),
      address: try decoder.text(),
    )
    // Earlier builds wrote the address alone, from which the identity follows.
    identity = count > 3 ? try .init(from: &decoder) : .init(writtenAs: address)
    try decoder.skipItems(count - 4)
  }
}
