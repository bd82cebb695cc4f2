import DequeModule
package import StoreProtocol
import StoreState

/// The client's protocol machine: frames and time in, frames and applied state out.
///
/// It does no I/O and reads no clock. ``ClientTurn`` drives it. `docs/PROTOCOL.md` §12 lists
/// its states.
///
/// Properties that every action touches are not checked for overlapping accesses, because the check
/// would cost a tenth of its time. No such property is passed `inout` to code that could call back.
@MainActor
package final class ReplicaClient {
  /// An instruction for the transport.
  enum Outgoing: Hashable, Sendable {
    case control([UInt8])
    case subscribe(Topic)
    case unsubscribe(Topic)
    case upstream([UInt8])
    /// Close both sockets and connect afresh.
    case reconnect
  }

  package struct Identity: Hashable, Sendable {
    package var clientID: Identifier
    package var name: String
    package var isListed: Bool

    package init(clientID: Identifier, name: String, isListed: Bool) {
      self.clientID = clientID
      self.name = name
      self.isListed = isListed
    }
  }

  /// The states of PROTOCOL §12.
  enum Phase: Hashable {
    /// Waiting for the daemon's greeting.
    case offline
    /// A hello was sent and has no answer yet.
    case greeting(since: Instant)
    case live
    /// Refused, or closed by the user: no more messages are taken.
    case closed(WaitFailure)
  }

  @MainActor
  struct SessionState {
    var token: Identifier
    var session: UInt64
    var epoch: UInt64
    var privateTopic: Topic
    var window: Int
    var frameBytes: Int
    /// The most actions in one message.
    var actionsPerFrame: Int
    /// The most scopes that the daemon accepts.
    var scopes: Int
    var lease: Duration
    /// The features that both ends know.
    var features: ProtocolFeatures = []

    /// Whether an action may state its span.
    var takesTraces: Bool { features.contains(.traces) }
    /// Whether an action may state the digest of its scope's state.
    var takesConditions: Bool { features.contains(.conditions) }

    /// The most bytes of an action that the daemon accepts.
    var actionBytes: Int { ReplicaClient.actionBytes(inFrameOf: frameBytes) }
  }

  let identity: Identity
  let limits: Limits
  /// The time limits and intervals; a change has no effect on running ones.
  package var timing: Timing
  /// The time limit for actions of stores; nil for no limit.
  @exclusivity(unchecked) package var actionTimeToLive: Duration?
  /// Whether actions without an outcome are withdrawn when the daemon returns with another history.
  ///
  /// Otherwise they are sent again, because they have not run in the new history.
  package var actionsEndWithEpoch = false
  /// The number of actions that were withdrawn when the last history began.
  package internal(set) var withdrawnActions = 0
  var generator: any RandomNumberGenerator
  @exclusivity(unchecked) var now: Moment

  @exclusivity(unchecked) var phase = Phase.offline
  @exclusivity(unchecked) var session: SessionState?
  var isWelcomed = false
  @exclusivity(unchecked) var scopes: [ClientScope] = []
  /// The same scopes by name.
  ///
  /// Names that Swift holds to be equal share an entry.
  var scopesByName: [String: [ClientScope]] = [:]
  /// The number of runs of deltas that were applied.
  @exclusivity(unchecked) var runs: UInt64 = 0
  @exclusivity(unchecked) var view: ClientView?
  @exclusivity(unchecked) var joining: ClientJoin?
  var lastNonce: UInt64 = 0
  /// The topic of the view whose messages have followed the last echo on the control socket; nil
  /// when that is unknown.
  var unicastTopic: Topic?
  /// The topics of views on the control socket whose echoes have not arrived, by the nonces of
  /// their joins, including joins that were given up since.
  var unicastTopics: [UInt64: Topic] = [:]
  /// Whether the next join may keep the states of the present view.
  var canKeep = false
  @exclusivity(unchecked) var needsJoin = false
  /// The last join before the present session.
  var sessionBase: UInt64 = 0
  /// The topics that are subscribed to on the present connection.
  var subscribed: Set<Topic> = []
  /// The watermark that the daemon sent while our view lagged, our sequence then, and the number of
  /// the last ping until then.
  var announced: (watermark: DaemonMessage.Watermark, ours: UInt64, ping: UInt64)?
  @exclusivity(unchecked) var actions = ActionQueue()
  /// The known schemas of outputs that differ from this program's.
  var outputSchemas = OutputSchemas()
  /// When to look for expired actions: at the first deadline or earlier, but not before
  /// ``nextExpiry``.
  @exclusivity(unchecked) var expiryDue: Instant?
  /// The earliest time of the next scan for expired actions.
  var nextExpiry: Instant
  /// The waiters for the connection or for a scope.
  var waits = Waits()
  /// The callbacks for the next turn.
  private var onNextTurn: [@MainActor (Instant) -> Void] = []
  /// Whether scopes were released since the last turn.
  @exclusivity(unchecked) var hasReleased = false
  /// When scopes without a holder stop being followed.
  @exclusivity(unchecked) var lingerDue: Instant?
  /// When scopes that differ from the daemon's are fetched again.
  @exclusivity(unchecked) var refetchDue: Instant?
  /// How long a join may be silent before it is given up.
  var patience: Duration
  /// When the first join was given up since the last complete one.
  var joinsFailSince: Instant?
  /// The number of joins since then that ended with their publishing connection.
  var brokenJoins = 0
  var runningEffects: [UInt64: ActionTicket] = [:]
  /// Effects that ended, kept back until the local state includes their last changes.
  @exclusivity(unchecked) var finishing:
    [(watermark: DaemonMessage.Watermark, sequences: [UInt64])] = []
  var requests: [UInt64: Request] = [:]
  var nextRequest: UInt64 = 1

  /// When the last message arrived on the control socket, on which every ping has an answer.
  @exclusivity(unchecked) var lastHeard: Instant
  /// When the control socket's connection ended; nil while it is connected, or after silence
  /// was noticed.
  @exclusivity(unchecked) var cutSince: Instant?
  var nextPing: Instant
  var pingNumber: UInt64 = 0
  /// The published bytes that arrived since the last ping.
  var bytesSincePing = 0
  var backOff: Duration
  var reconnectAt: Instant?
  @exclusivity(unchecked) package internal(set) var revision: UInt64 = 0
  /// The newest revision that arrived on any path, in the epoch of the last session; nil
  /// before that.
  @exclusivity(unchecked) private(set) var newest: ClientMessage.Position?

  @exclusivity(unchecked) var outgoing: Deque<Outgoing> = []
  var events: [ClientEvent] = []
  /// Called between two turns when there is a message to send, once for each turn.
  package var onNeedsTurn: (@MainActor () -> Void)?
  @exclusivity(unchecked) private var hasAskedForTurn = false
  package internal(set) var malformed: UInt64 = 0
  package internal(set) var resyncs: UInt64 = 0
  /// Why the daemon ended the last session, until a join of a later one is complete.
  var lastEnd: (code: String, message: String)?

  package init(
    identity: Identity,
    limits: Limits = Limits(),
    timing: Timing = Timing(),
    now: Moment,
    generator: any RandomNumberGenerator,
  ) {
    self.identity = identity
    self.limits = limits
    self.timing = timing
    self.now = now
    self.generator = generator
    lastHeard = now.instant
    nextExpiry = now.instant
    nextPing = now.instant
    backOff = timing.backOff.lowerBound
    patience = timing.answer
  }

  /// Requests a turn soon, once for each turn.
  func needTurn() {
    guard !hasAskedForTurn else { return }
    hasAskedForTurn = true
    onNeedsTurn?()
  }

  /// Requests a turn and calls `body` in it, because time that begins between two turns is counted
  /// from the next turn.
  func atNextTurn(_ body: @escaping @MainActor (Instant) -> Void) {
    onNextTurn.append(body)
    needTurn()
  }

  private func beginNextTurn() {
    let bodies = onNextTurn
    onNextTurn = []
    for body in bodies { body(now.instant) }
  }

  package var epoch: UInt64? { session?.epoch }
  package var isLive: Bool { phase == .live }

  /// Whether the connection is refused or closed.
  package var isClosed: Bool { ending != nil }

  /// Why the connection is refused or closed; nil while it is neither.
  package var ending: WaitFailure? { if case .closed(let failure) = phase { failure } else { nil } }

  /// The epoch of the shown state; nil before a state is shown.
  package var shownEpoch: UInt64? { view.flatMap { $0.isShown ? $0.epoch : nil } }

  /// Whether no work is left until the next message arrives.
  package var isQuiet: Bool {
    phase == .live && joining == nil && !needsJoin && actions.count == 0
      && actions.settlingTickets.isEmpty && lingerDue == nil && !hasReleased && refetchDue == nil
      && !scopes.contains { $0.isResolving }
  }

  /// The actions that have no outcome yet.
  package var pendingActions: Int { actions.count }

  /// The number of actions without an outcome whose time is not over.
  ///
  /// Complexity: O(n) in the number of all of them.
  package var awaitedActions: Int { actions.awaitedCount }

  // MARK: Incoming messages

  /// Takes a control frame; an empty one is the daemon's greeting.
  func receive(control frame: ArraySlice<UInt8>, at moment: Moment) {
    now = moment
    lastHeard = moment.instant
    if isClosed { return }
    guard !frame.isEmpty else { return greeted() }
    do throws(MessageError) {
      let message = try DaemonMessage(frame: frame)
      if case .unicast(let message) = message {
        return receive(unicast: message, bytes: frame.count)
      }
      handle(message)
    } catch {
      malformed += 1
    }
  }

  /// Takes a published message of one frame: the welcome.
  func receive(welcome frame: ArraySlice<UInt8>, at moment: Moment) {
    now = moment
    do throws(MessageError) {
      _ = try Welcome(frame: frame)
      welcomed()
    } catch {
      malformed += 1
    }
  }

  /// Takes a published message.
  func receive(
    topic: ArraySlice<UInt8>,
    body: ArraySlice<UInt8>,
    at moment: Moment,
  ) {
    now = moment
    bytesSincePing += body.count
    guard let topic = Topic(bytes: topic) else {
      malformed += 1
      return
    }
    do throws(MessageError) {
      receive(try PublishedMessage(frame: body), on: topic, bytes: body.count)
    } catch {
      malformed += 1
      // Messages that were lost with it cause a gap, or a difference in the next bookmark.
    }
  }

  /// Sends waiting actions, then joins the scopes that need a join.
  func endTurn(_ moment: Moment) {
    now = moment
    hasAskedForTurn = false
    if !onNextTurn.isEmpty { beginNextTurn() }
    beginLives()
    beginLingering()
    waits.begin(at: now.instant)
    guard phase == .live else { return }
    // Actions first: a scope that is left still accepts actions that were sent before.
    sendActions()
    guard phase == .live else { return }
    if needsJoin, joining == nil { startJoin() }
    if bytesSincePing >= limits.bytesPerPing { ping() }
  }

  /// Notes a revision of the session's epoch that arrived on any path.
  func hear(_ revision: UInt64) {
    guard let epoch = session?.epoch else { return }
    let known = newest?.epoch == epoch ? newest?.revision ?? 0 : 0
    newest = ClientMessage.Position(epoch: epoch, revision: max(known, revision))
  }

  /// Takes the events for the user, oldest first.
  func takeEvents() -> [ClientEvent] {
    defer { events.removeAll() }
    return events
  }

  /// Takes the next instruction for the transport, in order; nil when the queue is empty.
  func nextOutgoing() -> Outgoing? { outgoing.popFirst() }

  func send(_ message: ClientMessage) { outgoing.append(.control(message.encoded())) }

  private func handle(_ message: DaemonMessage) {
    switch message {
    case .helloOK(let hello): opened(hello)
    case .refused(let code, let message): refused(code: code, message: message)
    case .needHello: notKnown()
    case .joined(let nonce, let topic, let answers): joined(nonce, topic, answers)
    case .snapshot(let piece): add(piece)
    case .replay(let replay): add(replay)
    case .acks(let acks): decide(acks)
    case .finished(let sequences, let watermark):
      finishing.append((watermark, sequences))
      settleActions()
    case .pong(let number, let revision, let watermark):
      hear(revision)
      compare(watermark, pong: number)
    case .description(let request, let item), .status(let request, let item),
      .history(let request, let item), .keys(let request, let item),
      .rows(let request, let item), .schedules(let request, let item):
      answered(request, item)
    case .goodbye(let code, let message): sessionEnded(code: code, message: message)
    case .gap(let expected): actions.rewind(to: expected)
    case .working(let nonce): isWorking(on: nonce)
    // A daemon of another build answers so to an optional message.
    case .notUnderstood: malformed += 1
    case .unicast: preconditionFailure("Messages of a unicast view are handled earlier")
    }
  }
}
