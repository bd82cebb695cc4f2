import DequeModule
import StoreActor
import StoreHistory
import StoreProtocol

/// One client's session.
///
/// ``Sessions`` manages its identity and lease, ``Joins`` the scopes that it follows,
/// ``OutcomeTable`` the outcomes of its actions.
@MainActor
final class Session {
  /// The states of `docs/PROTOCOL.md` §12.
  enum State: Hashable {
    /// The session has ended, and no frame is sent for it any more.
    case none
    /// The lease ends at this time, unless it is renewed.
    case open(until: Instant)
  }

  let info: SessionInfo
  /// Its client's identity and key.
  let caller: Caller
  /// The origin of its actions.
  let origin: ActionOrigin
  /// The holder to which its shares of limits are charged.
  let holder: Holder
  /// The groups that count it while it is open.
  let groups: [SessionGroup]
  /// The rights of its client.
  var rights: Rights
  let token: Identifier
  let clientID: Identifier
  let isListed: Bool
  /// Whether its join was delivered to the reducer, if it is listed.
  fileprivate(set) var isAnnounced = true
  let privateTopic: Topic
  let scopes: SessionScopes
  let actions: SessionActions
  /// The session's data in the journal record of each action.
  private(set) lazy var recorded = RecordedSession(
    client: clientID,
    number: info.id,
    identity: origin.identity,
    name: info.name,
  )
  /// The protocol extensions that both ends support.
  fileprivate(set) var features: ProtocolFeatures
  fileprivate(set) var peer: PeerID
  fileprivate(set) var state: State
  fileprivate(set) var lastHeard: Instant
  /// The connection of the publishing socket that delivered its last fence; nil if that connection
  /// is closed.
  var publisher: PeerID?
  /// The number of the latest loss of one of its connections; nil if a message has arrived since,
  /// or if no connection was lost.
  var lostStamp: UInt64?
  /// Whether its control connection is open.
  fileprivate(set) var isConnected = true
  /// The revision that the client reports to have applied.
  var appliedRevision: UInt64 = 0

  fileprivate init(
    info: SessionInfo,
    caller: Caller,
    holder: Holder,
    rights: Rights,
    token: Identifier,
    hello: ClientMessage.Hello,
    privateTopic: Topic,
    actions: SessionActions,
    names: ByteLedger,
    peer: PeerID,
    now: Instant,
    lease: Duration,
  ) {
    self.info = info
    scopes = SessionScopes(of: info.identity.holder, isOwner: rights.isEverything, names)
    self.caller = caller
    origin = info.origin
    self.holder = holder
    groups = [.all, rights.isEverything ? .owners : .others, .holder(holder)]
    self.rights = rights
    self.token = token
    clientID = hello.clientID
    isListed = hello.isListed
    features = hello.features.intersection(.known)
    self.privateTopic = privateTopic
    self.actions = actions
    self.peer = peer
    state = .open(until: now.advanced(by: lease))
    lastHeard = now
  }

  /// Whether the session has not ended yet.
  var isOpen: Bool { state != .none }

  /// The sequence of its view that the client must reach before its state includes the daemon's
  /// present one.
  var watermark: DaemonMessage.Watermark { scopes.watermark }
}

/// All sessions, indexed by peer, token and client id, and their leases.
@MainActor
final class Sessions {
  private let limits: Limits
  private let timing: Timing
  private let random: Randomness
  /// The bytes of the names of all sessions' scopes.
  let names: ByteLedger
  /// Bounded by ``Limits/sessions``.
  private var peers: [PeerID: Session] = [:]
  /// Bounded by ``Limits/sessions``.
  private var byToken: [Identifier: Session] = [:] { didSet { inOrder = nil } }
  /// The cached result of ``all``, until a session opens or ends.
  ///
  /// Bounded by ``Limits/sessions``.
  private var inOrder: [Session]?
  /// Bounded by ``Limits/sessions``.
  private var byClient: [Identifier: Session] = [:]
  /// The number of sessions of each group.
  private(set) var counts = SessionCounts()
  /// The used budget of each holder, kept while it has sessions and until the budget is full again:
  /// a holder that reconnects continues with its remaining budget.
  ///
  /// Bounded by ``Limits/sessions``, and by the holders that left within a ``TokenBucket/rest``.
  private(set) var usage: [Holder: Usage] = [:]
  /// Holders whose usage may soon be dropped, each once, in the order of their checks.
  ///
  /// Bounded by ``usage``.
  private var resting: Deque<(holder: Holder, since: Instant)> = []

  struct Usage {
    var sessions = 0
    var (hellos, actions): (TokenBucket, TokenBucket)
    /// The bytes of its actions.
    var actionBytes: TokenBucket
    /// The bytes of history that were read for it.
    var history: TokenBucket
    var reports: ReportBudget
    /// The number of its actions whose effects run.
    var effects = 0
    /// Whether the holder is in the queue for the next check.
    var isResting = false

    init(_ limits: Limits, now: Instant) {
      hellos = TokenBucket(perSecond: limits.hellosPerSecond, now: now)
      actions = TokenBucket(perSecond: limits.actionsPerSecond, now: now)
      actionBytes = TokenBucket(
        perSecond: limits.actionBytesPerSecond,
        burst: limits.actionBytesAtOnce,
        now: now,
      )
      history = TokenBucket(perSecond: limits.historyBytesPerSecond, now: now)
      reports = .ofHolder(limits, now: now)
    }

    /// Whether the usage equals that of a new holder.
    func isRested(_ now: Instant) -> Bool {
      sessions == 0 && effects == 0 && hellos.isFull(now) && actions.isFull(now)
        && actionBytes.isFull(now) && history.isFull(now) && reports.isFull(now)
    }
  }

  private var lost: LostSessions
  /// Control connections whose session has ended, or continues on another one.
  private var strangers = Strangers()
  private var nextID: UInt64 = 1
  /// The number of departures in ``events``.
  private var departureCount = 0
  /// Bounded by ``Limits/sessions`` of the last delivery, and as many present ones.
  private var events: Deque<(event: SessionEvent, session: Session)> = []
  /// No lease ends before this time: as leases are usually extended, a lower bound is enough.
  private var nextLeaseEnd = Instant.distantFuture

  /// When a lease or a connection without a session may end; no check is needed before.
  var nextDeadline: Instant {
    min(nextLeaseEnd, strangers.first?.advanced(by: timing.introduction) ?? .distantFuture)
  }

  init(limits: Limits, timing: Timing, random: Randomness) {
    self.limits = limits
    self.timing = timing
    self.random = random
    lost = LostSessions(sessions: limits.sessions)
    names = ByteLedger(
      mostOfOne: limits.scopeNameBytesOfOne,
      mostOfOthers: limits.scopeNameBytesOfOthers,
      mostOfAll: limits.allScopeNameBytes,
    )
  }

  /// Counts a hello of a client without full rights.
  ///
  /// - Returns: False if its user has sent too many: this one is then not answered.
  func spendHello(of holder: Holder, now: Instant) -> Bool {
    defer { rest(holder, now) }
    return usage[holder, default: Usage(limits, now: now)].hellos.take(now)
  }

  /// Counts a report that is requested by a holder other than the owner's, also without a session.
  ///
  /// - Parameters:
  ///   - kind: The kind of report.
  ///   - holder: The holder.
  ///   - leavingHalf: Whether half of the budget is left for others.
  ///   - now: The current time.
  /// - Returns: False if it has requested too many: this one is then refused.
  func spendReport(
    _ kind: WritableKeyPath<ReportBudget, TokenBucket>,
    of holder: Holder,
    leavingHalf: Bool,
    now: Instant,
  ) -> Bool {
    defer { rest(holder, now) }
    return usage[holder, default: Usage(limits, now: now)].reports[keyPath: kind]
      .take(now, leavingHalf: leavingHalf)
  }

  /// Counts one action, or a request that counts as several.
  ///
  /// - Returns: False if its user has sent too many: this one is then refused.
  func spendAction(of session: Session, counting count: Int = 1, now: Instant) -> Bool {
    session.rights.isEverything
      || usage[session.holder]?.actions.take(now, count) ?? true
  }

  /// Counts the bytes of an action.
  ///
  /// - Returns: False if its holder has sent too many: the action is then refused.
  func spendActionBytes(_ bytes: Int, of session: Session, now: Instant) -> Bool {
    session.rights.isEverything
      || usage[session.holder]?.actionBytes.take(now, bytes) ?? true
  }

  /// Whether history may be read for a session.
  ///
  /// It may not if its holder's budget is used up.
  func mayReadHistory(_ session: Session, now: Instant) -> Bool {
    session.rights.isEverything || usage[session.holder]?.history.hasAny(now) ?? true
  }

  /// Counts the bytes of history that were read for a holder.
  func chargeHistory(_ bytes: Int, to holder: Holder, now: Instant) {
    guard !holder.isOwner else { return }
    usage[holder, default: Usage(limits, now: now)].history.charge(now, bytes)
    // The holder's sessions may have ended by now.
    rest(holder, now)
  }

  /// The number of actions of a session's user with running effects; zero for owners, whose actions
  /// are not counted.
  func effects(of session: Session) -> Int {
    // This runs for each action, so owners need no lookup.
    session.rights.isEverything ? 0 : usage[session.holder]?.effects ?? 0
  }

  /// Counts an action of a session's user until its effects have ended, even after the session.
  func follow(_ task: StoreTask, of session: Session) {
    guard !session.rights.isEverything else { return }
    let holder = session.holder
    usage[holder]?.effects += 1
    task.whenFinished { [weak self] in self?.usage[holder]?.effects -= 1 }
  }

  /// All sessions, in the order in which they opened.
  var all: [Session] {
    if let inOrder { return inOrder }
    let found = byToken.values.map { (id: $0.info.id, session: $0) }
      .sorted { $0.id < $1.id }.map(\.session)
    inOrder = found
    return found
  }

  func session(of peer: PeerID) -> Session? { peers[peer] }

  func session(withToken token: Identifier) -> Session? { byToken[token] }

  func session(ofClient client: Identifier) -> Session? { byClient[client] }

  /// Continues the numbers of the sessions from before the restart.
  func restore(_ history: KeptHistory) {
    nextID = min(history.sessionNumbers, KeptHistory.greatestNumber) + 1
  }

  /// The greatest session number so far.
  var lastID: UInt64 { nextID - 1 }

  // MARK: Coming and going

  /// Opens a session for a client and a peer that have no other session.
  func open(
    _ hello: ClientMessage.Hello,
    actions: SessionActions,
    rights: Rights,
    peer: PeerID,
    caller: Caller,
    holder: Holder,
    now: Instant,
  ) -> Session {
    let session = Session(
      info: SessionInfo(
        id: nextID,
        name: hello.name,
        address: caller.address,
        identity: caller.identity,
      ),
      caller: caller,
      holder: holder,
      rights: rights,
      token: random.identifier(),
      hello: hello,
      privateTopic: Topic(.session, random.identifier()),
      actions: actions,
      names: names,
      peer: peer,
      now: now,
      lease: timing.lease,
    )
    nextID += 1
    peers[peer] = session
    strangers.remove(peer)
    byToken[session.token] = session
    byClient[session.clientID] = session
    usage[holder, default: Usage(limits, now: now)].sessions += 1
    counts.add(1, to: session.groups)
    expect(session)
    if session.isListed {
      events.append((.joined(session.info), session))
      session.isAnnounced = false
    }
    return session
  }

  /// Resumes a session on a peer that has no other session.
  func resume(_ session: Session, _ hello: ClientMessage.Hello, on peer: PeerID, now: Instant) {
    if session.peer != peer {
      peers[session.peer] = nil
      forsake(session, now: now)
      session.peer = peer
      session.isConnected = true
      peers[peer] = session
    }
    strangers.remove(peer)
    session.features = hello.features.intersection(.known)
    renew(session, now: now)
  }

  /// Ends a session.
  ///
  /// - Returns: False if it had already ended.
  func end(_ session: Session, now: Instant) -> Bool {
    guard session.isOpen else { return false }
    session.state = .none
    byToken[session.token] = nil
    byClient[session.clientID] = nil
    usage[session.holder]?.sessions -= 1
    counts.add(-1, to: session.groups)
    rest(session.holder, now)
    if peers[session.peer] === session { peers[session.peer] = nil }
    forsake(session, now: now)
    if byToken.isEmpty { nextLeaseEnd = .distantFuture }
    if session.isListed { noteEnd(of: session) }
    return true
  }

  /// Records that a session's control connection, if it is open, no longer belongs to a session.
  private func forsake(_ session: Session, now: Instant) {
    if session.isConnected { strangers.add(session.peer, now: now) }
  }

  /// Records that a control connection has ended.
  ///
  /// - Returns: The connection's session; nil for a stranger.
  func lost(_ peer: PeerID) -> Session? {
    strangers.remove(peer)
    guard let session = session(of: peer) else { return nil }
    session.isConnected = false
    return session
  }

  /// Removes and returns the control connections that have had no session for too long.
  func takeStrangers(at moment: Instant) -> [PeerID] {
    strangers.take(at: moment, after: timing.introduction)
  }

  /// Schedules a check of a holder without sessions, after a rest.
  private func rest(_ holder: Holder, _ now: Instant) {
    guard let used = usage[holder], used.sessions == 0, !used.isResting else { return }
    usage[holder]?.isResting = true
    resting.append((holder, now))
  }

  /// Drops the usage of holders that have no session and whose budget is full again.
  func forgetRested(at now: Instant) {
    while let first = resting.first, first.since.advanced(by: TokenBucket.rest) <= now {
      resting.removeFirst()
      usage[first.holder]?.isResting = false
      if usage[first.holder]?.isRested(now) ?? false { usage[first.holder] = nil }
      // A holder that opened and ended a session since then is checked again.
      rest(first.holder, now)
    }
  }

  /// Notes that a session left.
  ///
  /// If its arrival was not yet delivered, both events are dropped. So events are bounded by the
  /// listed sessions of the last delivery and the present ones.
  private func noteEnd(of session: Session) {
    if !session.isAnnounced, let joined = events.lastIndex(where: { $0.session === session }) {
      events.remove(at: joined)
    } else {
      events.append((.left(session.info), session))
      departureCount += 1
    }
  }

  /// Removes and returns the oldest of the sessions' joins and departures that were not delivered.
  func takeEvent() -> SessionEvent? {
    guard let first = events.popFirst() else { return nil }
    first.session.isAnnounced = true
    if case .left = first.event { departureCount -= 1 }
    return first.event
  }

  /// Whether a departure was not delivered.
  var hasDepartures: Bool { departureCount > 0 }

  var hasEvents: Bool { !events.isEmpty }

  // MARK: Leases

  func renew(_ session: Session, now: Instant) {
    session.lastHeard = now
    session.lostStamp = nil
    session.state = .open(until: now.advanced(by: timing.lease))
  }

  /// Records that one of a session's connections was lost, and shortens the lease to the grace
  /// period for reconnecting.
  ///
  /// A client that has reconnected renews its lease with its next message, so a late notice of a
  /// former connection does not end its session.
  func lost(_ session: Session, now: Instant) {
    guard case .open(let leaseEnd) = session.state else { return }
    session.state = .open(until: min(leaseEnd, now.advanced(by: timing.grace)))
    expect(session)
    if session.lostStamp == nil { lost.append(session) }
  }

  /// Takes the session of a group that lost a connection first and has not reconnected; nil if all
  /// are connected.
  ///
  /// It is ended when a new session needs its room.
  func takeLost(of group: SessionGroup) -> Session? { lost.popFirst(of: group) }

  private func expect(_ session: Session) {
    guard case .open(let leaseEnd) = session.state else { return }
    nextLeaseEnd = min(nextLeaseEnd, leaseEnd)
  }

  /// Returns the sessions whose lease had ended at a given time, in the order in which they opened.
  ///
  /// Searches all sessions only when the stored lower bound of the lease ends has passed.
  func expired(at moment: Instant) -> [Session] {
    guard nextLeaseEnd <= moment else { return [] }
    nextLeaseEnd = .distantFuture
    var expired: [Session] = []
    for session in byToken.values {
      guard case .open(let leaseEnd) = session.state else { continue }
      if leaseEnd <= moment { expired.append(session) } else { expect(session) }
    }
    return expired.sorted { $0.info.id < $1.info.id }
  }

  // MARK: Invariants

  func checkInvariants() {
    names.checkInvariants()
    precondition(
      byToken.count == byClient.count && byToken.count == peers.count,
      "\(byToken.count) sessions by token, \(byClient.count) by client, \(peers.count) by peer",
    )
    precondition(
      usage.allSatisfy { holder, used in
        resting.count { $0.holder == holder } == (used.isResting ? 1 : 0)
          && (used.sessions > 0 || used.isResting)
      },
      "\(usage.count) users are counted, and not all of them would be forgotten",
    )
    precondition(
      usage.values.reduce(0) { $0 + $1.sessions } == byToken.count
        && counts[.all] == byToken.count && counts[.owners] + counts[.others] == byToken.count
        && usage.allSatisfy { $1.sessions == counts[.holder($0)] },
      "\(usage.values.map(\.sessions)) sessions of users, \(byToken.count) in all",
    )
    for session in byToken.values {
      guard case .open(let leaseEnd) = session.state else {
        preconditionFailure("Session \(session.info.id) is over and still known")
      }
      precondition(
        leaseEnd >= nextLeaseEnd,
        "The lease of \(session.info.id) ends at \(leaseEnd), looked at from \(nextLeaseEnd)",
      )
      precondition(
        !strangers.contains(session.peer) && self.session(of: session.peer) === session,
        "Session \(session.info.id) is not its peer's",
      )
    }
  }
}
