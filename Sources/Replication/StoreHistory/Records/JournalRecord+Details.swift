package import StoreActor
package import StoreProtocol
import StoreState

extension JournalRecord {
  /// The reducer's inputs that another run would read differently.
  package struct Inputs: Hashable, Sendable {
    /// The date, in seconds since 2001; nil if it was not read.
    package var date: Double?
    /// The seed of random numbers and UUIDs; nil if it was not used.
    package var seed: UInt64?

    package init(date: Double? = nil, seed: UInt64? = nil) {
      self.date = date
      self.seed = seed
    }
  }

  /// Further facts about a revision.
  ///
  /// Each action sets details up, and writes them. Most details have no ``Facts``, so these share a
  /// single reference.
  @dynamicMemberLookup
  package struct Details: Hashable, Sendable {
    package var inputs = Inputs()
    /// The reducer's duration, in microseconds; nil if it was not measured.
    package var microseconds: UInt64?
    private var kept = Kept.none

    private indirect enum Kept: Hashable, Sendable {
      case none
      case facts(Facts)
    }

    /// The number of names of actions that followed.
    package static let mostFollowed = 16

    package init() {}

    /// Whether it has no ``Facts``.
    package var hasNoFacts: Bool {
      if case .none = kept { true } else { false }
    }

    /// Its facts; nil if it has none.
    fileprivate var facts: Facts? {
      if case .facts(let facts) = kept { facts } else { nil }
    }

    package subscript<Value>(dynamicMember fact: WritableKeyPath<Facts, Value>) -> Value {
      get {
        if case .facts(let facts) = kept { facts[keyPath: fact] } else { Facts()[keyPath: fact] }
      }
      _modify {
        var facts = takeFacts()
        yield &facts[keyPath: fact]
        if facts != Facts() { kept = .facts(facts) }
      }
    }

    /// Removes the facts, so that a change does not copy their arrays.
    private mutating func takeFacts() -> Facts {
      guard case .facts(let facts) = kept else { return Facts() }
      kept = .none
      return facts
    }
  }

  /// Facts that few revisions have.
  package struct Facts: Hashable, Sendable {
    package var began: [RunningEffect] = []
    /// The numbers of effects that ended.
    package var ended: [UInt64] = []
    /// Clients that said goodbye before the revision: the outcomes of their actions are deleted.
    package var forgotten: [Identifier] = []
    /// The listed sessions that a restart has ended, each with its action, in this order.
    ///
    /// Bounded by ``Limits/sessions`` of the daemon before.
    package var departed: [SessionInfo] = []
    /// Actions that reducers have refused since the record before this one, oldest first.
    ///
    /// Bounded by ``Limits/unrecordedRefusals`` and ``Limits/unrecordedRefusalBytes``.
    package var refused: [RefusedAction] = []
    /// The number of further refused actions.
    package var refusedMore: UInt64 = 0
    /// The reply to the client's action; nil if there is none.
    ///
    /// Bounded by ``Outcome/Reply/mostBytes``.
    package var reply: EncodedReply?
    /// The origin that the action of an effect was reduced with; nil if it was not read, and if
    /// the origin of the record states it.
    package var readOrigin: ActionOrigin?
    /// Schedules that began, or that have another due time.
    ///
    /// Bounded by the effects of one revision, and together by ``Limits/schedules``.
    package var scheduled: [ScheduledTimer] = []
    /// The numbers of schedules that ended without firing.
    package var unscheduled: [UInt64] = []
    /// The firing that sent the action; nil if none did.
    package var fired: Firing?
    /// The names of the actions that followed in the revision, in their order.
    ///
    /// Bounded by ``Details/mostFollowed``; further ones are left out.
    package var followed: [String] = []

    fileprivate init() {}
  }
}

// MARK: - Bytes

extension JournalRecord.Details {
  /// The fields' numbers.
  ///
  /// An unknown number belongs to a later release, and is ignored.
  fileprivate enum Field {
    static let began: UInt64 = 0
    static let ended: UInt64 = 1
    static let date: UInt64 = 2
    static let seed: UInt64 = 3
    static let microseconds: UInt64 = 4
    static let forgotten: UInt64 = 5
    static let refused: UInt64 = 6
    static let refusedMore: UInt64 = 7
    static let reply: UInt64 = 8
    static let origin: UInt64 = 9
    static let scheduled: UInt64 = 10
    static let unscheduled: UInt64 = 11
    static let fired: UInt64 = 12
    static let followed: UInt64 = 13
    static let departed: UInt64 = 14
  }

  private var inputCount: Int {
    (inputs.date == nil ? 0 : 1) + (inputs.seed == nil ? 0 : 1) + (microseconds == nil ? 0 : 1)
  }

  /// Writes a map with numbered keys, in the order of their numbers.
  func encode(to encoder: inout CBOREncoder) {
    let facts = facts
    encoder.mapHeader(inputCount + (facts?.count ?? 0))
    facts?.encodeEffects(to: &encoder)
    if let date = inputs.date {
      encoder.encode(unsigned: Field.date)
      encoder.encode(unsigned: date.bitPattern)
    }
    if let seed = inputs.seed {
      encoder.encode(unsigned: Field.seed)
      encoder.encode(unsigned: seed)
    }
    if let microseconds {
      encoder.encode(unsigned: Field.microseconds)
      encoder.encode(unsigned: microseconds)
    }
    facts?.encodeOutcomes(to: &encoder)
    facts?.encodeSchedules(to: &encoder)
  }

  init(from decoder: inout CBORDecoder) throws(CodecError) {
    for _ in 0..<(try decoder.mapHeader()) {
      switch try decoder.unsigned() {
      case Field.began:
        self.began = try decoder.list { (d) throws(CodecError) in
          try JournalRecord.RunningEffect(from: &d)
        }
      case Field.ended: self.ended = try decoder.list { (d) throws(CodecError) in try d.unsigned() }
      case Field.date: inputs.date = Double(bitPattern: try decoder.unsigned())
      case Field.seed: inputs.seed = try decoder.unsigned()
      case Field.microseconds: microseconds = try decoder.unsigned()
      case Field.forgotten:
        self.forgotten = try decoder.list { (d) throws(CodecError) in try d.identifier() }
      case Field.refused:
        self.refused = try decoder.list { (d) throws(CodecError) in
          try JournalRecord.RefusedAction(from: &d)
        }
      case Field.refusedMore: self.refusedMore = try decoder.unsigned()
      case Field.reply:
        self.reply = EncodedReply(
          value: try decoder.nullIfPresent() ? nil : try decoder.encodedValue()
        )
      case Field.origin: self.readOrigin = try ActionOrigin(from: &decoder)
      case Field.scheduled:
        self.scheduled = try decoder.list { (d) throws(CodecError) in
          try JournalRecord.ScheduledTimer(from: &d)
        }
      case Field.unscheduled:
        self.unscheduled = try decoder.list { (d) throws(CodecError) in try d.unsigned() }
      case Field.fired: self.fired = try JournalRecord.Firing(from: &decoder)
      case Field.followed: self.followed = try decoder.texts()
      case Field.departed:
        self.departed = try decoder.list { (d) throws(CodecError) in
          try SessionInfo(from: &d, try d.arrayHeader())
        }
      default: try decoder.skipItem()
      }
    }
  }
}

extension JournalRecord.Facts {
  private typealias Field = JournalRecord.Details.Field

  fileprivate var count: Int {
    (began.isEmpty ? 0 : 1) + (ended.isEmpty ? 0 : 1) + (forgotten.isEmpty ? 0 : 1)
      + (refused.isEmpty ? 0 : 1) + (refusedMore == 0 ? 0 : 1) + (reply == nil ? 0 : 1)
      + (readOrigin == nil ? 0 : 1)
      + (scheduled.isEmpty ? 0 : 1) + (unscheduled.isEmpty ? 0 : 1) + (fired == nil ? 0 : 1)
      + (followed.isEmpty ? 0 : 1) + (departed.isEmpty ? 0 : 1)
  }

  fileprivate func encodeEffects(to encoder: inout CBOREncoder) {
    if !began.isEmpty {
      encoder.encode(unsigned: Field.began)
      encoder.arrayHeader(began.count)
      for effect in began { effect.encode(to: &encoder) }
    }
    if !ended.isEmpty {
      encoder.encode(unsigned: Field.ended)
      encoder.arrayHeader(ended.count)
      for number in ended { encoder.encode(unsigned: number) }
    }
  }

  fileprivate func encodeOutcomes(to encoder: inout CBOREncoder) {
    if !forgotten.isEmpty {
      encoder.encode(unsigned: Field.forgotten)
      encoder.arrayHeader(forgotten.count)
      for client in forgotten { encoder.encode(client) }
    }
    if !refused.isEmpty {
      encoder.encode(unsigned: Field.refused)
      encoder.arrayHeader(refused.count)
      for action in refused { action.encode(to: &encoder) }
    }
    if refusedMore > 0 {
      encoder.encode(unsigned: Field.refusedMore)
      encoder.encode(unsigned: refusedMore)
    }
    if let reply {
      encoder.encode(unsigned: Field.reply)
      if let value = reply.value { encoder.encode(value) } else { encoder.encodeNull() }
    }
    if let readOrigin {
      encoder.encode(unsigned: Field.origin)
      readOrigin.encode(to: &encoder)
    }
  }

  fileprivate func encodeSchedules(to encoder: inout CBOREncoder) {
    if !scheduled.isEmpty {
      encoder.encode(unsigned: Field.scheduled)
      encoder.arrayHeader(scheduled.count)
      for scheduled in scheduled { scheduled.encode(to: &encoder) }
    }
    if !unscheduled.isEmpty {
      encoder.encode(unsigned: Field.unscheduled)
      encoder.arrayHeader(unscheduled.count)
      for number in unscheduled { encoder.encode(unsigned: number) }
    }
    if let fired {
      encoder.encode(unsigned: Field.fired)
      fired.encode(to: &encoder)
    }
    if !followed.isEmpty {
      encoder.encode(unsigned: Field.followed)
      encoder.encode(texts: followed)
    }
    if !departed.isEmpty {
      encoder.encode(unsigned: Field.departed)
      encoder.arrayHeader(departed.count)
      for session in departed {
        encoder.arrayHeader(4)
        session.encode(to: &encoder)
      }
    }
  }
}
