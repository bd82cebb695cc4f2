import OrderedCollections
package import StoreActor
import StoreState

/// The daemon's half of the protocol around a root store: frames, time and commits in, frames out.
///
/// It does no I/O and reads no clock. Whoever drives it hands in each frame with the moment it
/// came, calls ``endTurn(_:)`` once a turn and ``tick(_:)`` when ``nextDeadline`` has come, sends
/// what ``takeOutgoing()`` returns, in that order, and runs what ``takeJobs()`` returns on another
/// thread. `docs/PROTOCOL.md` §12 has its states.
///
/// What every action touches is not checked for overlapping accesses, which would cost a tenth of
/// it: nothing here is handed on `inout` to code that could come back.
@MainActor
package final class ReplicaServer<Root: Sendable, RootAction> {
  typealias Client = Session<Root, RootAction>

  // Not types of the server's own: they would be generic as it is, and arrays of them slow.
  package typealias Outgoing = OutgoingFrame
  package typealias Notice = ServerNotice

  package let epoch: UInt64
  let root: RootCore<Root, RootAction>
  let exposures: [Expose<Root, RootAction>]
  let limits: Limits
  let timing: Timing
  let sessionAction: (SessionEvent) -> RootAction?
  var generator: any RandomNumberGenerator
  let startedAt: Instant
  @exclusivity(unchecked) var now: Moment
  let processID: Int32

  // Sessions, by who they are for whom. All on the main actor; the three agree at all times.
  var sessionsByToken: [Identifier: Client] = [:]
  var sessionsByPeer: [PeerID: Client] = [:]
  var sessionsByTopic: [Topic: Client] = [:]
  var nextSession: UInt64 = 1
  var clients: ClientTable
  /// The sessions whose outcomes the end of the turn sends, in the order in which that came up.
  ///
  /// Linked, as the scopes are.
  @exclusivity(unchecked) var firstUnsent: Client?
  @exclusivity(unchecked) var lastUnsent: Client?
  var sessionEvents: [SessionEvent] = []

  // Scopes and views that someone follows.
  // Ordered, because their order shows in what is published.
  var activeScopes: OrderedDictionary<String, ActiveScope<Root, RootAction>> = [:]
  var views: OrderedDictionary<[String], View> = [:]
  /// The first of the active scopes, through which every commit goes.
  ///
  /// They are linked: where the element's type is not known, going through an array looks it up.
  @exclusivity(unchecked) var firstFollowed: ActiveScope<Root, RootAction>?
  @exclusivity(unchecked) var touchedViews: [View] = []
  @exclusivity(unchecked) var dirtyViews: [View] = []
  let versions: VersionRing<Root>
  /// Captures that jobs are at, by their ids.
  var pendingCaptures: [UInt64: PendingCapture<Root, RootAction>] = [:]
  var jobs: [CaptureJob] = []
  var nextCapture: UInt64 = 1
  @exclusivity(unchecked) var scratch = CBOREncoder()
  @exclusivity(unchecked) var reducedInTurn = 0
  @exclusivity(unchecked) private var wakeAt = Instant.distantFuture
  /// No lease ends before: as leases mostly get longer, a bookmark's tick need not look at them.
  private var leasesHoldUntil = Instant.distantFuture

  /// Is told when something came up that the end of a turn sends: also between two turns, when the
  /// effects of an action have ended.
  package var onUnsent: (@MainActor () -> Void)?
  @exclusivity(unchecked) var outgoing: [Outgoing] = []
  var notices: [Notice] = []
  var warnedPeers: Set<PeerID> = []
  /// Peers that do not read what they are sent, and until when what they send is not looked at.
  var deafPeers: [PeerID: Instant] = [:]
  @exclusivity(unchecked) package internal(set) var counters = Counters()

  /// Creates the server of a root store; the store's commits and outputs are its own from then on.
  ///
  /// - Parameters:
  ///   - root: The store.
  ///   - exposures: What clients may see.
  ///   - epoch: A random number, new whenever history does not continue.
  ///   - limits: How much of everything there may be.
  ///   - timing: How long everything may take.
  ///   - processID: What the status says.
  ///   - now: The moment.
  ///   - generator: Where topics and tokens come from; seeded in a simulation.
  ///   - sessionAction: The root action that tells the reducer of a listed session, if any.
  package init(
    root: RootCore<Root, RootAction>,
    exposures: [Expose<Root, RootAction>],
    epoch: UInt64,
    limits: Limits = Limits(),
    timing: Timing = Timing(),
    processID: Int32,
    now: Moment,
    generator: any RandomNumberGenerator,
    sessionAction: @escaping (SessionEvent) -> RootAction? = { _ in nil },
  ) {
    self.root = root
    self.exposures = exposures
    self.epoch = epoch
    self.limits = limits
    self.timing = timing
    self.processID = processID
    self.now = now
    self.generator = generator
    self.sessionAction = sessionAction
    startedAt = now.instant
    clients = ClientTable(limits: limits)
    versions = VersionRing(
      limit: limits.versions,
      bytes: limits.versionBytes,
      revision: root.revision,
    )
    root.onStep = { [unowned self] revision, old, new in
      self.committed(revision: revision, old: old, new: new)
    }
    takeOutputs()
  }

  /// Leaves the root store alone, which may outlive the server.
  package func detach() {
    root.onStep = nil
    root.onOutput = nil
  }

  package var revision: UInt64 { root.revision }

  /// Whether so much was reduced that it should be published before anything else is taken.
  package var isTurnFull: Bool { reducedInTurn >= limits.actionsPerFrame }

  /// What every new connection of the publishing socket is told first.
  package var welcome: [UInt8] { Welcome(epoch: epoch).encoded() }

  /// Takes a control frame.
  ///
  /// - Parameters:
  ///   - frame: The frame.
  ///   - peer: Who sent it.
  ///   - address: Where the peer is connected from, as the transport says it.
  ///   - moment: When it came.
  package func receive(
    control frame: ArraySlice<UInt8>,
    from peer: PeerID,
    address: @autoclosure () -> String,
    at moment: Moment,
  ) {
    now = moment
    counters.controlFrames += 1
    if isDeaf(peer) { return }
    do throws(MessageError) {
      let message = try ClientMessage(frame: frame)
      receive(message, from: peer, address: address)
    } catch {
      malformed(from: peer, "a frame that is not a message: \(error)", at: moment)
    }
  }

  /// Takes note of something that no well-behaved client sends, and ends the peer's session.
  package func malformed(from peer: PeerID, _ what: String, at moment: Moment) {
    now = moment
    counters.malformed += 1
    notice(peer, what)
    if let session = sessionsByPeer[peer] {
      end(session, code: "protocolError", message: "You sent \(what)")
    }
  }

  /// Takes a message that came upstream on the publishing socket.
  package func receive(upstream frame: ArraySlice<UInt8>, at moment: Moment) {
    now = moment
    switch frame.first {
    case 0: unsubscribed(Topic(bytes: frame.dropFirst()))
    case 1: subscribed(Topic(bytes: frame.dropFirst()))
    case Fence.mark:
      do throws(MessageError) {
        fence(try Fence(frame: frame))
      } catch {
        counters.malformed += 1
      }
    default: counters.malformed += 1
    }
  }

  /// Publishes what the turn changed and answers what it asked.
  package func endTurn(_ moment: Moment) {
    now = moment
    deliverSessionEvents()
    flush()
    reducedInTurn = 0
    sendUnsent()
  }

  /// Does what is due.
  package func tick(_ moment: Moment) {
    now = moment
    if leasesHoldUntil <= now.instant { endExpiredSessions() }
    endTurn(moment)
    sendDueBookmarks()
    recomputeDeadline()
  }

  /// When ``tick(_:)`` has something to do, or may have; nil when nothing is under way.
  package var nextDeadline: Instant? { wakeAt == .distantFuture ? nil : wakeAt }

  /// Sees to it that ``tick(_:)`` comes no later than `instant`.
  func wake(at instant: Instant) { wakeAt = min(wakeAt, instant) }

  /// Sees to it that a session whose lease ends at `instant` is ended then.
  func leaseEnds(at instant: Instant) {
    leasesHoldUntil = min(leasesHoldUntil, instant)
    wake(at: instant)
  }

  /// Looks at all leases only when the first of them may be over; what is kept is a lower bound.
  private func recomputeDeadline() {
    if leasesHoldUntil <= now.instant || sessionsByToken.isEmpty {
      leasesHoldUntil = sessionsByToken.values.lazy.map(\.leaseEnd).min() ?? .distantFuture
    }
    wakeAt = leasesHoldUntil
    for view in views.values { if let due = view.bookmarkDue { wake(at: due) } }
  }

  /// The frames to send, oldest first; they are the caller's from now on.
  package func takeOutgoing() -> [Outgoing] {
    defer { outgoing = [] }
    return outgoing
  }

  /// What the operator should know since the last call.
  package func takeNotices() -> [Notice] {
    defer { notices = [] }
    return notices
  }

  /// Finishes what was accepted and says goodbye to everyone.
  package func shutDown(_ moment: Moment) {
    endTurn(moment)
    for session in sessionsByToken.values.sorted(by: { $0.info.id < $1.info.id }) {
      send(.goodbye(code: "goingDown", message: "The daemon is stopping."), to: session.peer)
      for task in session.tasks.values { task.cancel() }
    }
  }

  func send(_ message: DaemonMessage, to peer: PeerID) {
    outgoing.append(.control(peer, message.encoded()))
  }

  func notice(_ peer: PeerID, _ text: String) {
    // Bounded: a flood of strangers must not fill the memory, so the set starts over.
    if warnedPeers.count >= limits.sessions { warnedPeers.removeAll() }
    guard warnedPeers.insert(peer).inserted else { return }
    notices.append(Notice(peer: sessionsByPeer[peer]?.info.address ?? "\(peer)", text: text))
  }

  private func receive(
    _ message: ClientMessage,
    from peer: PeerID,
    address: () -> String,
  ) {
    if case .hello(let hello) = message { return greet(hello, from: peer, address: address()) }
    if let session = sessionsByPeer[peer] { renew(session) }
    switch message {
    case .describe(let request): return describe(request, to: peer)
    case .status(let request): return status(request, to: peer)
    default: break
    }
    guard let session = sessionsByPeer[peer] else { return send(.needHello, to: peer) }
    switch message {
    case .join(let nonce, let requests): join(session, nonce: nonce, requests)
    case .actions(let first, let requests): perform(session, first: first, requests)
    case .ping(let number, let revision):
      session.appliedRevision = revision
      // What the turn changed goes out first, so that the pong does not run ahead of it.
      flush()
      send(.pong(number: number, revision: root.revision, reach: session.reach), to: peer)
    case .cancel(let sequence): session.tasks[sequence]?.cancel()
    case .credit(let nonce, let bytes):
      guard nonce == session.viewNonce else { return }
      session.creditUsed = max(0, session.creditUsed - Int(clamping: bytes))
      continueTransfers(session)
    case .bye: end(session, code: nil, message: "")
    case .hello, .describe, .status: break
    }
  }
}

/// A frame that the daemon sends.
package enum OutgoingFrame: Hashable, Sendable {
  case control(PeerID, [UInt8])
  case publish(topic: [UInt8], [UInt8])
}

/// What the daemon's operator should know, once per peer.
package struct ServerNotice: Hashable, Sendable {
  package var peer: String
  package var text: String
}

/// What the daemon counted since it started.
package struct Counters: Hashable, Sendable {
  package var controlFrames: UInt64 = 0
  package var malformed: UInt64 = 0
  package var subscriptions: UInt64 = 0
  package var fences: UInt64 = 0
  package var strayFences: UInt64 = 0
  package var snapshots: UInt64 = 0
  package var replays: UInt64 = 0
  package var actionsApplied: UInt64 = 0
  package var actionsFailed: UInt64 = 0
  package var duplicates: UInt64 = 0
  package var deltas: UInt64 = 0
  package var deltaBytes: UInt64 = 0
  package var outputs: UInt64 = 0
  package var leasesEnded: UInt64 = 0
  package var blockedPeers: UInt64 = 0

  package init() {}
}
