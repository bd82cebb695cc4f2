import DequeModule
package import StoreProtocol
import StoreState

/// The client's protocol machine: frames and time in, frames and applied state out.
///
/// It does no I/O and reads no clock. ``ClientTurn`` drives it. `docs/PROTOCOL.md` §12 has its
/// states.
///
/// Properties that every action touches are not checked for overlapping accesses, which would cost
/// a tenth of its time: none is passed `inout` to code that could call back.
@MainActor
package final class ReplicaClient {
  /// What the transport is to send.
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
    /// Said hello.
    case greeting(since: Instant)
    case live
    /// Refused, or closed by the user: nothing will come any more.
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
    /// How many actions one message may have.
    var actionsPerFrame: Int
    /// How many scopes the daemon takes.
    var scopes: Int
    var lease: Duration
    /// Whether an action may say which span it belongs to.
    var takesTraces = false

    /// The most bytes of an action that the daemon takes.
    var actionBytes: Int { ReplicaClient.actionBytes(inFrameOf: frameBytes) }
  }

  let identity: Identity
  let limits: Limits
  /// How long things take; what has begun is not changed by it.
  package var timing: Timing
  /// How long actions of stores may take; nil for as long as they do.
  @exclusivity(unchecked) package var actionTimeToLive: Duration?
  /// Whether actions without an outcome are withdrawn when the daemon comes back with another
  /// history.
  ///
  /// Else they are sent again, because there they have not run.
  package var actionsEndWithEpoch = false
  /// How many were withdrawn when the last history began.
  package internal(set) var withdrawnActions = 0
  var generator: any RandomNumberGenerator
  @exclusivity(unchecked) var now: Moment

  @exclusivity(unchecked) var phase = Phase.offline
  @exclusivity(unchecked) var session: SessionState?
  var isWelcomed = false
  @exclusivity(unchecked) var scopes: [ClientScope] = []
  /// The same scopes by their names; names that Swift holds to be equal are found together.
  var scopesByName: [String: [ClientScope]] = [:]
  /// How many runs of deltas were applied.
  @exclusivity(unchecked) var runs: UInt64 = 0
  @exclusivity(unchecked) var view: ClientView?
  @exclusivity(unchecked) package var joining: ClientJoin?
  package var lastNonce: UInt64 = 0
  /// Of the view whose messages come on the control socket since the last echo there; nil when that
  /// is not known.
  var unicastTopic: Topic?
  /// Those of the views there whose echoes are still to come, by the nonces of their joins, whether
  /// these were given up since or not.
  var unicastTopics: [UInt64: Topic] = [:]
  /// Whether the next join may keep what the present view shows.
  var canKeep = false
  @exclusivity(unchecked) var needsJoin = false
  /// The last join before the present session.
  var sessionBase: UInt64 = 0
  /// What is subscribed to on the present connection.
  var subscribed: Set<Topic> = []
  /// How far the daemon said that our view is, where we were behind, and the last ping until then.
  var announced: (watermark: DaemonMessage.Watermark, ours: UInt64, ping: UInt64)?
  @exclusivity(unchecked) var actions = ActionQueue()
  /// What is known of outputs whose schemas are not this program's.
  var outputSchemas = OutputSchemas()
  /// When an action's time may be over; no later than that of the first.
  @exclusivity(unchecked) var expiryDue: Instant?
  /// Actions are not looked at again for that before.
  var nextExpiry: Instant
  /// Those who wait for the connection or for a scope.
  var waits = Waits()
  /// Those who want to know when the next turn is.
  private var onNextTurn: [@MainActor (Instant) -> Void] = []
  /// Whether scopes were released since the last turn.
  @exclusivity(unchecked) var hasReleased = false
  /// When a scope that nobody holds is followed no more.
  @exclusivity(unchecked) var lingerDue: Instant?
  /// When scopes that differ from the daemon's are fetched again.
  @exclusivity(unchecked) var refetchDue: Instant?
  /// How long a join may be silent before it is given up.
  var patience: Duration
  /// When a join was given up first since the last one that was complete.
  var joinsFailSince: Instant?
  /// How many joins have ended with their publishing connection since then.
  var brokenJoins = 0
  var runningEffects: [UInt64: ActionTicket] = [:]
  /// Effects that ended, kept back until the local state has what they changed last.
  @exclusivity(unchecked) var finishing:
    [(watermark: DaemonMessage.Watermark, sequences: [UInt64])] = []
  var requests: [UInt64: Request] = [:]
  var nextRequest: UInt64 = 1

  /// When something came last on the control socket, where every ping has an answer.
  @exclusivity(unchecked) var lastHeard: Instant
  /// When the control socket's connection ended; nil where there is one, or silence was noticed.
  @exclusivity(unchecked) var cutSince: Instant?
  var nextPing: Instant
  var pingNumber: UInt64 = 0
  /// Bytes that were published and came since the last ping.
  var bytesSincePing = 0
  var backOff: Duration
  var reconnectAt: Instant?
  @exclusivity(unchecked) package internal(set) var revision: UInt64 = 0
  /// The newest revision that came in any way, in the epoch of the last session; nil before that.
  @exclusivity(unchecked) package private(set) var newest: ClientMessage.Position?

  @exclusivity(unchecked) var outgoing: Deque<Outgoing> = []
  var events: [ClientEvent] = []
  /// Is told between two turns that there is something to send, once for each turn.
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

  /// Sees to it that a turn comes soon.
  func needTurn() {
    guard !hasAskedForTurn else { return }
    hasAskedForTurn = true
    onNeedsTurn?()
  }

  /// Calls back in the next turn, which comes soon: time that begins between two turns is counted
  /// from there.
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

  /// Whether nothing will come any more.
  package var isClosed: Bool { ending != nil }

  /// Why nothing will come any more; nil as long as something may.
  package var ending: WaitFailure? { if case .closed(let failure) = phase { failure } else { nil } }

  /// The epoch of the state that is shown; nil when nothing is.
  package var shownEpoch: UInt64? { view.flatMap { $0.isShown ? $0.epoch : nil } }

  /// Whether there is nothing left to do until something new comes.
  package var isQuiet: Bool {
    phase == .live && joining == nil && !needsJoin && actions.count == 0
      && actions.settlingTickets.isEmpty && lingerDue == nil && !hasReleased && refetchDue == nil
      && !scopes.contains { $0.isResolving }
  }

  /// The actions that have no outcome yet.
  package var pendingActions: Int { actions.count }

  /// Those of the actions without an outcome whose time is not over; takes as long as all are many.
  package var awaitedActions: Int { actions.awaitedCount }

  // MARK: What comes

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

  /// Takes a published message of one frame, which the welcome is.
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
      // What was lost with it shows as a gap, or in the next bookmark.
    }
  }

  /// Sends what waits, then joins what needs joining.
  func endTurn(_ moment: Moment) {
    now = moment
    hasAskedForTurn = false
    if !onNextTurn.isEmpty { beginNextTurn() }
    beginLives()
    beginLingering()
    waits.begin(at: now.instant)
    guard phase == .live else { return }
    // Actions first: a scope that is left takes what was sent to it before.
    sendActions()
    guard phase == .live else { return }
    if needsJoin, joining == nil { startJoin() }
    if bytesSincePing >= limits.bytesPerPing { ping() }
  }

  /// Notes a revision of the session's epoch that came in any way.
  func hear(_ revision: UInt64) {
    guard let epoch = session?.epoch else { return }
    let known = newest?.epoch == epoch ? newest?.revision ?? 0 : 0
    newest = ClientMessage.Position(epoch: epoch, revision: max(known, revision))
  }

  /// What to tell the user, oldest first.
  func takeEvents() -> [ClientEvent] {
    defer { events.removeAll() }
    return events
  }

  /// Takes the next thing to do, in order; nil when there is none.
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
      .rows(let request, let item):
      answered(request, item)
    case .goodbye(let code, let message): sessionEnded(code: code, message: message)
    case .gap(let expected): actions.rewind(to: expected)
    case .working(let nonce): isWorking(on: nonce)
    // A daemon of another build says so of what is only an offer.
    case .notUnderstood: malformed += 1
    case .unicast: preconditionFailure("What belongs to a unicast view is taken before")
    }
  }
}
