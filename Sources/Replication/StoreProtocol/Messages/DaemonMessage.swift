import StoreState

/// The messages that the daemon sends on the control socket (`docs/PROTOCOL.md` §8).
package enum DaemonMessage: Hashable, Sendable {
  case helloOK(HelloOK)
  case refused(code: String, message: String)
  case needHello
  case joined(nonce: UInt64, topic: Topic?, [JoinAnswer])
  case snapshot(SnapshotPiece)
  case replay(Replay)
  case acks(Acks)
  case finished([UInt64], watermark: Watermark)
  case pong(number: UInt64, revision: UInt64, watermark: Watermark)
  case description(request: UInt64, item: ArraySlice<UInt8>)
  case status(request: UInt64, item: ArraySlice<UInt8>)
  case goodbye(code: String, message: String)
  case gap(expected: UInt64)
  /// The captures of a join are in progress: continue to wait.
  case working(nonce: UInt64)
  /// The client sent a message of a kind that this daemon does not know.
  case notUnderstood(kind: UInt64, message: String)
  /// A message of a view that is sent on this socket instead of being published.
  case unicast(PublishedMessage)
  case history(request: UInt64, item: ArraySlice<UInt8>)
  case keys(request: UInt64, item: ArraySlice<UInt8>)
  case rows(request: UInt64, item: ArraySlice<UInt8>)
  case schedules(request: UInt64, item: ArraySlice<UInt8>)

  package struct HelloOK: Hashable, Sendable {
    /// The version that both speak from now on.
    package var version = protocolVersion
    package var session: UInt64
    package var token: Identifier
    package var epoch: UInt64
    package var revision: UInt64
    package var privateTopic: Topic
    package var lastSequence: UInt64
    package var isResumed: Bool
    package var leaseMilliseconds: UInt64
    package var frameBytes: UInt64
    package var window: UInt64
    package var scopes: UInt64
    /// The most actions of one message.
    package var actions: UInt64
    /// The client's actions whose effects run in this session.
    package var running: [UInt64]
    /// The features that both know beyond the version.
    package var features: ProtocolFeatures = []

    package init(
      version: UInt64 = protocolVersion,
      session: UInt64,
      token: Identifier,
      epoch: UInt64,
      revision: UInt64,
      privateTopic: Topic,
      lastSequence: UInt64,
      isResumed: Bool,
      leaseMilliseconds: UInt64,
      frameBytes: UInt64,
      window: UInt64,
      scopes: UInt64,
      actions: UInt64,
      running: [UInt64],
      features: ProtocolFeatures = [],
    ) {
      self.version = version
      self.session = session
      self.token = token
      self.epoch = epoch
      self.revision = revision
      self.privateTopic = privateTopic
      self.lastSequence = lastSequence
      self.isResumed = isResumed
      self.leaseMilliseconds = leaseMilliseconds
      self.frameBytes = frameBytes
      self.window = window
      self.scopes = scopes
      self.actions = actions
      self.running = running
      self.features = features
    }
  }

  package enum JoinAnswer: Hashable, Sendable {
    case accepted(handle: UInt64)
    case refused(JoinFailure)
  }

  package struct SnapshotPiece: Hashable, Sendable {
    package var nonce: UInt64
    package var handle: UInt64
    package var revision: UInt64
    package var total: UInt64
    package var offset: UInt64
    package var bytes: ArraySlice<UInt8>

    package init(
      nonce: UInt64,
      handle: UInt64,
      revision: UInt64,
      total: UInt64,
      offset: UInt64,
      bytes: ArraySlice<UInt8>,
    ) {
      self.nonce = nonce
      self.handle = handle
      self.revision = revision
      self.total = total
      self.offset = offset
      self.bytes = bytes
    }
  }

  package struct Replay: Hashable, Sendable {
    package var nonce: UInt64
    package var handle: UInt64
    package var revision: UInt64
    /// The delta of the scope's optional state; nil if it is unchanged.
    package var delta: ArraySlice<UInt8>?

    package init(
      nonce: UInt64,
      handle: UInt64,
      revision: UInt64,
      delta: ArraySlice<UInt8>?,
    ) {
      self.nonce = nonce
      self.handle = handle
      self.revision = revision
      self.delta = delta
    }
  }

  /// The deltas that a client needs before its state includes an action.
  package struct Watermark: Hashable, Sendable {
    /// The join whose view is meant; 0 if there is no view.
    package var nonce: UInt64
    package var sequence: UInt64

    package init(nonce: UInt64, sequence: UInt64) {
      self.nonce = nonce
      self.sequence = sequence
    }
  }

  package struct Acks: Hashable, Sendable {
    package var first: UInt64
    package var outcomes: [Outcome]
    package var watermark: Watermark

    package init(first: UInt64, outcomes: [Outcome], watermark: Watermark) {
      self.first = first
      self.outcomes = outcomes
      self.watermark = watermark
    }
  }
}

extension DaemonMessage {
  private enum Kind {
    static let helloOK: UInt64 = 65
    static let refused: UInt64 = 66
    static let needHello: UInt64 = 67
    static let joined: UInt64 = 68
    static let snapshot: UInt64 = 69
    static let replay: UInt64 = 70
    static let acks: UInt64 = 71
    static let finished: UInt64 = 72
    static let pong: UInt64 = 73
    static let description: UInt64 = 74
    static let status: UInt64 = 75
    static let goodbye: UInt64 = 76
    static let gap: UInt64 = 77
    static let working: UInt64 = 78
    static let notUnderstood: UInt64 = 79
    static let history: UInt64 = 80
    static let keys: UInt64 = 81
    static let rows: UInt64 = 82
    static let schedules: UInt64 = 83
  }

  /// The message's frame.
  package func encoded() -> [UInt8] {
    // The reserve avoids copies of a piece while the frame grows.
    var encoder = CBOREncoder(reserving: pieceBytes + 64)
    encode(to: &encoder)
    return encoder.bytes
  }

  private var pieceBytes: Int {
    if case .snapshot(let piece) = self { piece.bytes.count } else { 0 }
  }

  private func encode(to encoder: inout CBOREncoder) {
    switch self {
    case .helloOK(let hello): hello.encode(to: &encoder, kind: Kind.helloOK)
    case .refused(let code, let message): encoder.failure(Kind.refused, code, message)
    case .needHello: encoder.message(Kind.needHello, 0)
    case .joined(let nonce, let topic, let answers):
      encoder.message(Kind.joined, 3)
      encoder.encode(unsigned: nonce)
      if let topic { encoder.encode(bytes: topic.bytes) } else { encoder.encodeNull() }
      encoder.arrayHeader(answers.count)
      for answer in answers { answer.encode(to: &encoder) }
    case .snapshot(let piece): piece.encode(to: &encoder, kind: Kind.snapshot)
    case .replay(let replay): replay.encode(to: &encoder, kind: Kind.replay)
    case .acks(let acks): acks.encode(to: &encoder, kind: Kind.acks)
    case .finished(let sequences, let watermark):
      encoder.message(Kind.finished, 3)
      encoder.arrayHeader(sequences.count)
      for sequence in sequences { encoder.encode(unsigned: sequence) }
      encoder.encode(unsigned: watermark.nonce)
      encoder.encode(unsigned: watermark.sequence)
    case .pong(let number, let revision, let watermark):
      encoder.message(Kind.pong, number, revision, watermark.nonce, watermark.sequence)
    case .description(let request, let item):
      encoder.message(Kind.description, 2)
      encoder.encode(unsigned: request)
      encoder.append(raw: item)
    case .status(let request, let item):
      encoder.message(Kind.status, 2)
      encoder.encode(unsigned: request)
      encoder.append(raw: item)
    case .goodbye(let code, let message): encoder.failure(Kind.goodbye, code, message)
    case .gap(let expected): encoder.message(Kind.gap, expected)
    case .working(let nonce): encoder.message(Kind.working, nonce)
    case .notUnderstood(let kind, let message):
      encoder.message(Kind.notUnderstood, 2)
      encoder.encode(unsigned: kind)
      encoder.encode(text: message)
    case .unicast(let message): encoder.append(raw: message.encoded())
    case .history(let request, let item):
      encoder.message(Kind.history, 2)
      encoder.encode(unsigned: request)
      encoder.append(raw: item)
    case .keys(let request, let item):
      encoder.message(Kind.keys, 2)
      encoder.encode(unsigned: request)
      encoder.append(raw: item)
    case .rows(let request, let item):
      encoder.message(Kind.rows, 2)
      encoder.encode(unsigned: request)
      encoder.append(raw: item)
    case .schedules(let request, let item):
      encoder.message(Kind.schedules, 2)
      encoder.encode(unsigned: request)
      encoder.append(raw: item)
    }
  }

  /// Decodes a frame.
  ///
  /// - Throws: if the frame is not a message; never traps.
  package init(frame: ArraySlice<UInt8>) throws(MessageError) {
    var decoder = CBORDecoder(frame)
    let (kind, rest) = try decoder.message()
    if PublishedMessage.Kind.all.contains(kind) {
      self = .unicast(try PublishedMessage(frame: frame))
      return
    }
    let taken: Int
    switch kind {
    case Kind.helloOK:
      taken = min(rest, 12)
      self = .helloOK(try HelloOK(from: &decoder, rest))
    case Kind.refused:
      taken = try decoder.require(2, of: rest, "refused")
      self = .refused(code: try decoder.text(), message: try decoder.text())
    case Kind.needHello:
      taken = 0
      self = .needHello
    case Kind.joined:
      taken = try decoder.require(3, of: rest, "joined")
      let nonce = try decoder.unsigned()
      let topic = try decoder.nullIfPresent() ? nil : try decoder.topic()
      self = .joined(
        nonce: nonce,
        topic: topic,
        try decoder.list { (d) throws(CodecError) in try JoinAnswer(from: &d) },
      )
    case Kind.snapshot:
      taken = try decoder.require(6, of: rest, "snapshot")
      self = .snapshot(try SnapshotPiece(from: &decoder))
    case Kind.replay:
      taken = try decoder.require(4, of: rest, "replay")
      self = .replay(try Replay(from: &decoder))
    case Kind.acks:
      taken = try decoder.require(4, of: rest, "acks")
      self = .acks(try Acks(from: &decoder))
    default:
      (self, taken) = try Self.short(kind, from: &decoder, rest)
    }
    try decoder.skipItems(rest - taken)
    try decoder.finish()
  }

  /// The messages of one or two plain elements.
  private static func short(
    _ kind: UInt64,
    from decoder: inout CBORDecoder,
    _ rest: Int,
  ) throws(MessageError) -> (DaemonMessage, Int) {
    switch kind {
    case Kind.finished:
      let taken = try decoder.require(3, of: rest, "finished")
      let sequences = try decoder.list { (d) throws(CodecError) in try d.unsigned() }
      let watermark = Watermark(nonce: try decoder.unsigned(), sequence: try decoder.unsigned())
      return (.finished(sequences, watermark: watermark), taken)
    case Kind.pong:
      let taken = try decoder.require(4, of: rest, "pong")
      let (number, revision) = (try decoder.unsigned(), try decoder.unsigned())
      let watermark = Watermark(nonce: try decoder.unsigned(), sequence: try decoder.unsigned())
      return (.pong(number: number, revision: revision, watermark: watermark), taken)
    case Kind.description:
      let taken = try decoder.require(2, of: rest, "description")
      return (.description(request: try decoder.unsigned(), item: try decoder.rawItem()), taken)
    case Kind.status:
      let taken = try decoder.require(2, of: rest, "status")
      return (.status(request: try decoder.unsigned(), item: try decoder.rawItem()), taken)
    case Kind.goodbye:
      let taken = try decoder.require(2, of: rest, "goodbye")
      return (.goodbye(code: try decoder.text(), message: try decoder.text()), taken)
    case Kind.gap:
      let taken = try decoder.require(1, of: rest, "gap")
      return (.gap(expected: try decoder.unsigned()), taken)
    case Kind.working:
      let taken = try decoder.require(1, of: rest, "working")
      return (.working(nonce: try decoder.unsigned()), taken)
    case Kind.notUnderstood:
      let taken = try decoder.require(2, of: rest, "not understood")
      let (kind, message) = (try decoder.unsigned(), try decoder.text())
      return (.notUnderstood(kind: kind, message: message), taken)
    case Kind.history:
      let taken = try decoder.require(2, of: rest, "history")
      return (.history(request: try decoder.unsigned(), item: try decoder.rawItem()), taken)
    case Kind.keys:
      let taken = try decoder.require(2, of: rest, "keys are")
      return (.keys(request: try decoder.unsigned(), item: try decoder.rawItem()), taken)
    case Kind.rows:
      let taken = try decoder.require(2, of: rest, "rows are")
      return (.rows(request: try decoder.unsigned(), item: try decoder.rawItem()), taken)
    case Kind.schedules:
      let taken = try decoder.require(2, of: rest, "schedules are")
      return (.schedules(request: try decoder.unsigned(), item: try decoder.rawItem()), taken)
    default: throw decoder.error(.typeMismatch, "expected a daemon's message, found kind \(kind)")
    }
  }
}
