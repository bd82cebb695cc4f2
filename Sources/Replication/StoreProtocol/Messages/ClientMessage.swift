package import StoreState

/// The messages that a client sends on the control socket (`docs/PROTOCOL.md` §8).
package enum ClientMessage: Hashable, Sendable {
  case hello(Hello)
  case join(nonce: UInt64, [JoinRequest])
  case actions(first: UInt64, [ActionRequest])
  case ping(number: UInt64, revision: UInt64)
  case cancel(sequence: UInt64)
  case credit(nonce: UInt64, bytes: UInt64)
  case describe(request: UInt64)
  case status(request: UInt64)
  case bye
  case history(request: UInt64, HistoryQuery)
  case keys(request: UInt64, KeyCommand)
  case rows(request: UInt64, RowQuery)
  case schedules(request: UInt64, ScheduleQuery)
  /// A message of a later version: well-formed, and of an unknown kind.
  case unknown(kind: UInt64)

  package struct Hello: Hashable, Sendable {
    /// The highest version that the client speaks.
    package var version: UInt64
    /// The lowest version that the client speaks.
    package var lowestVersion: UInt64
    package var clientID: Identifier
    package var token: Identifier?
    /// The lowest action sequence that the client may still send.
    package var firstSequence: UInt64
    package var name: String
    /// Whether the client is to be listed among those present.
    package var isListed: Bool
    /// The features that the client knows beyond its version.
    package var features: ProtocolFeatures
    /// The newest revision that the client has received in any way, and its epoch; nil without one.
    package var newest: Position?

    package init(
      version: UInt64 = protocolVersion,
      lowestVersion: UInt64? = nil,
      clientID: Identifier,
      token: Identifier?,
      firstSequence: UInt64,
      name: String,
      isListed: Bool,
      features: ProtocolFeatures = [],
      newest: Position? = nil,
    ) {
      self.version = version
      self.lowestVersion = lowestVersion ?? version
      self.clientID = clientID
      self.token = token
      self.firstSequence = firstSequence
      self.name = name
      self.isListed = isListed
      self.features = features
      self.newest = newest
    }
  }

  /// The way to join a scope; also one of a later version, which only the daemon can refuse.
  package struct JoinMode: RawRepresentable, Hashable, Sendable {
    package var rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static let follow = JoinMode(rawValue: 0)
    package static let sendOnly = JoinMode(rawValue: 1)
    /// Followed through the session's present view, so that no capture is needed.
    package static let keep = JoinMode(rawValue: 2)

    /// Whether this version knows it.
    package var isKnown: Bool { rawValue <= Self.keep.rawValue }
  }

  /// The version of a scope that a client has.
  package struct Position: Hashable, Sendable {
    package var epoch: UInt64
    package var revision: UInt64

    package init(epoch: UInt64, revision: UInt64) {
      self.epoch = epoch
      self.revision = revision
    }
  }

  package struct JoinRequest: Hashable, Sendable {
    package var scope: String
    package var mode: JoinMode
    package var stateHash: Digest?
    package var actionHash: Digest?
    package var position: Position?
    /// The digest of the state that the client has at its position.
    package var digest: Digest?

    package init(
      scope: String,
      mode: JoinMode,
      stateHash: Digest?,
      actionHash: Digest?,
      position: Position?,
      digest: Digest? = nil,
    ) {
      self.digest = digest
      self.scope = scope
      self.mode = mode
      self.stateHash = stateHash
      self.actionHash = actionHash
      self.position = position
    }
  }

  package struct ActionRequest: Hashable, Sendable {
    package var handle: UInt64
    /// The action's encoding.
    package var action: ArraySlice<UInt8>
    /// Milliseconds since 1970 after which the action must not run any more.
    package var deadline: UInt64?
    /// The span that it belongs to, if any.
    package var trace: String? { extras?.trace }
    /// The digest that its scope's state must have; nil for any state.
    package var condition: Digest? { extras?.condition }
    /// Boxed: nearly no action has them, and all are copied on their way.
    private let extras: Extras?

    package init(
      handle: UInt64,
      action: ArraySlice<UInt8>,
      deadline: UInt64?,
      trace: String? = nil,
      condition: Digest? = nil,
    ) {
      self.handle = handle
      self.action = action
      self.deadline = deadline
      extras = trace == nil && condition == nil ? nil : Extras(trace, condition)
    }

    private final class Extras: Hashable, Sendable {
      let trace: String?
      let condition: Digest?

      init(_ trace: String?, _ condition: Digest?) {
        self.trace = trace
        self.condition = condition
      }

      static func == (one: Extras, other: Extras) -> Bool {
        one.trace == other.trace && one.condition == other.condition
      }

      func hash(into hasher: inout Hasher) {
        hasher.combine(trace)
        hasher.combine(condition)
      }
    }
  }
}

extension ClientMessage {
  fileprivate enum Kind {
    static let hello: UInt64 = 1
    static let join: UInt64 = 2
    static let actions: UInt64 = 4
    static let ping: UInt64 = 5
    static let cancel: UInt64 = 6
    static let credit: UInt64 = 7
    static let describe: UInt64 = 8
    static let status: UInt64 = 9
    static let bye: UInt64 = 10
    static let history: UInt64 = 11
    static let keys: UInt64 = 12
    static let rows: UInt64 = 13
    static let schedules: UInt64 = 14
  }

  /// The message's frame.
  package func encoded() -> [UInt8] {
    var encoder = CBOREncoder()
    encode(to: &encoder)
    return encoder.bytes
  }

  private func encode(to encoder: inout CBOREncoder) {
    switch self {
    case .hello(let hello): hello.encode(to: &encoder, kind: Kind.hello)
    case .join(let nonce, let requests):
      encoder.message(Kind.join, 2)
      encoder.encode(unsigned: nonce)
      encoder.arrayHeader(requests.count)
      for request in requests { request.encode(to: &encoder) }
    case .actions(let first, let requests):
      encoder.actions(first: first, count: requests.count)
      for request in requests {
        encoder.action(
          request.action,
          handle: request.handle,
          deadline: request.deadline,
          trace: request.trace,
          condition: request.condition,
        )
      }
    case .ping(let number, let revision): encoder.message(Kind.ping, number, revision)
    case .cancel(let sequence): encoder.message(Kind.cancel, sequence)
    case .credit(let nonce, let bytes): encoder.message(Kind.credit, nonce, bytes)
    case .describe(let request): encoder.message(Kind.describe, request)
    case .status(let request): encoder.message(Kind.status, request)
    case .bye: encoder.message(Kind.bye, 0)
    case .history(let request, let query):
      encoder.message(Kind.history, 2)
      encoder.encode(unsigned: request)
      query.encode(to: &encoder)
    case .keys(let request, let command):
      encoder.message(Kind.keys, 2)
      encoder.encode(unsigned: request)
      command.encode(to: &encoder)
    case .rows(let request, let query):
      encoder.message(Kind.rows, 4)
      encoder.encode(unsigned: request)
      query.encode(to: &encoder)
    case .schedules(let request, let query):
      encoder.message(Kind.schedules, 2)
      encoder.encode(unsigned: request)
      query.encode(to: &encoder)
    case .unknown(let kind): encoder.message(kind, 0)
    }
  }

  /// Decodes a frame.
  ///
  /// - Parameters:
  ///   - frame: The frame.
  ///   - most: The most actions of one message.
  /// - Throws: if the frame is not a message of any kind; never traps.
  package init(
    frame: ArraySlice<UInt8>,
    mostActions most: Int = .max,
  ) throws(MessageError) {
    var decoder = CBORDecoder(frame)
    let (kind, rest) = try decoder.message()
    let taken: Int
    switch kind {
    case Kind.hello:
      taken = min(rest, 9)
      self = .hello(try Hello(from: &decoder, rest))
    case Kind.join:
      taken = try decoder.require(2, of: rest, "join")
      let nonce = try decoder.unsigned()
      let requests = try decoder.list { (d) throws(CodecError) in try JoinRequest(from: &d) }
      self = .join(nonce: nonce, requests)
    case Kind.actions:
      taken = rest
      self = try Self.actions(from: &decoder, rest, most: most)
    case Kind.ping:
      taken = try decoder.require(2, of: rest, "ping")
      self = .ping(number: try decoder.unsigned(), revision: try decoder.unsigned())
    case Kind.cancel:
      taken = try decoder.require(1, of: rest, "cancel")
      self = .cancel(sequence: try decoder.unsigned())
    case Kind.credit:
      taken = try decoder.require(2, of: rest, "credit")
      self = .credit(nonce: try decoder.unsigned(), bytes: try decoder.unsigned())
    case Kind.describe:
      taken = try decoder.require(1, of: rest, "describe")
      self = .describe(request: try decoder.unsigned())
    case Kind.status:
      taken = try decoder.require(1, of: rest, "status")
      self = .status(request: try decoder.unsigned())
    case Kind.bye:
      taken = 0
      self = .bye
    case Kind.history:
      taken = try decoder.require(2, of: rest, "history")
      self = .history(request: try decoder.unsigned(), try HistoryQuery(from: &decoder))
    case Kind.keys:
      taken = try decoder.require(2, of: rest, "keys")
      self = .keys(request: try decoder.unsigned(), try KeyCommand(from: &decoder))
    case Kind.rows:
      taken = try decoder.require(4, of: rest, "rows")
      self = .rows(request: try decoder.unsigned(), try RowQuery(from: &decoder))
    case Kind.schedules:
      taken = try decoder.require(2, of: rest, "schedules")
      self = .schedules(request: try decoder.unsigned(), try ScheduleQuery(from: &decoder))
    default:
      taken = 0
      self = .unknown(kind: kind)
    }
    try decoder.skipItems(rest - taken)
    try decoder.finish()
  }

  private static func actions(
    from decoder: inout CBORDecoder,
    _ rest: Int,
    most: Int,
  ) throws(MessageError) -> Self {
    guard rest >= 4, rest % 3 == 1 else {
      throw decoder.error(
        .typeMismatch,
        "expected a sequence and three elements an action, found \(rest)",
      )
    }
    // Before reading any of them, which takes time in proportion to their number.
    guard rest / 3 <= most else {
      throw decoder.error(.typeMismatch, "expected \(most) actions at most, found \(rest / 3)")
    }
    let first = try decoder.unsigned()
    var requests: [ActionRequest] = []
    // The header was checked against the available bytes.
    requests.reserveCapacity(rest / 3)
    for _ in 0..<(rest / 3) {
      let handle = try decoder.unsigned()
      let action = try decoder.rawItem()
      if try decoder.peekKind() == .array {
        requests.append(try request(from: &decoder, handle, action))
      } else {
        let deadline = try decoder.optionalUnsigned()
        requests.append(ActionRequest(handle: handle, action: action, deadline: deadline))
      }
    }
    return .actions(first: first, requests)
  }

  /// An action with a deadline, a span and a condition.
  ///
  /// A span that is too long is dropped, because effects retain it.
  private static func request(
    from decoder: inout CBORDecoder,
    _ handle: UInt64,
    _ action: ArraySlice<UInt8>,
  ) throws(MessageError) -> ActionRequest {
    let count = try decoder.arrayHeader()
    try decoder.require(2, of: count, "a time with a trace")
    let deadline = try decoder.optionalUnsigned()
    let trace = try decoder.nullIfPresent() ? nil : try decoder.text()
    let condition = count > 2 ? Digest(rawValue: try decoder.unsigned()) : nil
    try decoder.skipItems(max(0, count - 3))
    return ActionRequest(
      handle: handle,
      action: action,
      deadline: deadline,
      trace: trace.flatMap { $0.utf8.count <= TextLimits.traceBytes ? $0 : nil },
      condition: condition,
    )
  }
}

extension CBOREncoder {
  /// Begins a message of `count` actions, which follow.
  package mutating func actions(first: UInt64, count: Int) {
    message(ClientMessage.Kind.actions, 1 + 3 * count)
    encode(unsigned: first)
  }

  /// Writes one action of such a message.
  package mutating func action(
    _ action: some Collection<UInt8>,
    handle: UInt64,
    deadline: UInt64?,
    trace: String? = nil,
    condition: Digest? = nil,
  ) {
    encode(unsigned: handle)
    append(raw: action)
    if trace == nil, condition == nil { return encode(optional: deadline) }
    arrayHeader(condition == nil ? 2 : 3)
    encode(optional: deadline)
    if let trace { encode(text: trace) } else { encodeNull() }
    if let condition { encode(unsigned: condition.rawValue) }
  }

  /// A message whose elements are all unsigned integers.
  mutating func message(_ kind: UInt64, _ values: UInt64...) {
    message(kind, values.count)
    for value in values { encode(unsigned: value) }
  }
}

extension ClientMessage.Hello {
  fileprivate func encode(to encoder: inout CBOREncoder, kind: UInt64) {
    encoder.message(kind, newest == nil ? 8 : 9)
    encoder.encode(unsigned: version)
    encoder.encode(clientID)
    if let token { encoder.encode(token) } else { encoder.encodeNull() }
    encoder.encode(unsigned: firstSequence)
    encoder.encode(text: name)
    encoder.encode(unsigned: isListed ? 1 : 0)
    encoder.encode(unsigned: lowestVersion)
    encoder.encode(unsigned: features.rawValue)
    newest?.encode(to: &encoder)
  }

  /// Reads a hello with `rest` elements, of which the last three may be missing.
  fileprivate init(from decoder: inout CBORDecoder, _ rest: Int) throws(MessageError) {
    try decoder.require(6, of: rest, "hello")
    version = try decoder.unsigned()
    clientID = try decoder.identifier()
    token = try decoder.nullIfPresent() ? nil : try decoder.identifier()
    firstSequence = try decoder.unsigned()
    name = try decoder.text()
    isListed = try decoder.unsigned() & 1 == 1
    lowestVersion = rest > 6 ? try decoder.unsigned() : version
    features = ProtocolFeatures(rawValue: rest > 7 ? try decoder.unsigned() : 0)
    newest = rest > 8 ? try ClientMessage.Position.ifPresent(from: &decoder) : nil
  }
}

extension ClientMessage.Position {
  fileprivate func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(2)
    encoder.encode(unsigned: epoch)
    encoder.encode(unsigned: revision)
  }

  /// Reads a position; nil if it is null.
  fileprivate static func ifPresent(
    from decoder: inout CBORDecoder
  ) throws(MessageError) -> Self? {
    if try decoder.nullIfPresent() { return nil }
    let parts = try decoder.arrayHeader()
    try decoder.require(2, of: parts, "a position")
    let position = Self(epoch: try decoder.unsigned(), revision: try decoder.unsigned())
    try decoder.skipItems(parts - 2)
    return position
  }
}

extension ClientMessage.JoinRequest {
  fileprivate func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(digest == nil ? 5 : 6)
    encoder.encode(text: scope)
    encoder.encode(unsigned: mode.rawValue)
    encoder.encode(optional: stateHash?.rawValue)
    encoder.encode(optional: actionHash?.rawValue)
    if let position { position.encode(to: &encoder) } else { encoder.encodeNull() }
    if let digest { encoder.encode(unsigned: digest.rawValue) }
  }

  fileprivate init(from decoder: inout CBORDecoder) throws(MessageError) {
    let count = try decoder.arrayHeader()
    try decoder.require(5, of: count, "a join's entry")
    scope = try decoder.text()
    mode = ClientMessage.JoinMode(rawValue: try decoder.unsigned())
    stateHash = try decoder.optionalUnsigned().map { Digest(rawValue: $0) }
    actionHash = try decoder.optionalUnsigned().map { Digest(rawValue: $0) }
    position = try ClientMessage.Position.ifPresent(from: &decoder)
    digest = count > 5 ? try decoder.optionalUnsigned().map { Digest(rawValue: $0) } : nil
    try decoder.skipItems(max(0, count - 6))
  }
}
