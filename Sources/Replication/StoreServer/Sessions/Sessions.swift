import DequeModule
import StoreActor
import StoreHistory
package import StoreProtocol

/// One client's session.
///
/// Who it is, and how long it is there, belongs to ``Sessions``; what it follows to ``Joins``, what
/// became of its actions to ``OutcomeTable``.
@MainActor
package final class Session {
  /// The states of `docs/PROTOCOL.md` §12.
  enum State: Hashable {
    /// It has ended, and nothing is sent for it any more.
    case none
    /// Its lease ends at this time, unless it is renewed.
    case open(until: Instant)
  }

  let info: SessionInfo
  /// Its client's identity and key.
  let caller: Caller
  /// What its actions have for their origin.
  let origin: ActionOrigin
  /// For whom its shares of limits are counted.
  let holder: Holder
  /// The groups that it is counted in for as long as it lasts.
  let groups: [SessionGroup]
  /// What its client may see and send.
  var rights: Rights
  let token: Identifier
  let clientID: Identifier
  let isListed: Bool
  let privateTopic: Topic
  package let scopes: SessionScopes
  let actions: SessionActions
  /// What the journal records of it with each action.
  private(set) lazy var recorded = RecordedSession(
    client: clientID,
    number: info.id,
    identity: origin.identity,
  )
  /// The protocol extensions that both ends support.
  fileprivate(set) var features: ProtocolFeatures
  fileprivate(set) var peer: PeerID
  fileprivate(set) var state: State
  fileprivate(set) var lastHeard: Instant
  /// The connection of the publishing socket on which its last fence came; nil when that is over.
  var publisher: PeerID?
  /// Numbers the last time that one of its connections was lost; nil if something was received from
  /// it since, or none was lost.
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

  /// Whether it is still open.
  var isOpen: Bool { state != .none }

  /// What a client has to have of its view before its state includes what the daemon's does now.
  var watermark: DaemonMessage.Watermark { scopes.watermark }
}

/// All sessions, indexed by everything that identifies them, and their leases.
@MainActor
package final class Sessions {
  private let limits: Limits
  private let timing: Timing
  private let random: Randomness
  /// The bytes of the names of all sessions' scopes.
  let names: ByteLedger
  /// Bounded by ``Limits/sessions``.
  private var peers: [PeerID: Session] = [:]
  /// Bounded by ``Limits/sessions``.
  private var byToken: [Identifier: Session] = [:] { didSet { inOrder = nil } }
  /// What ``all`` has found, until somebody comes or goes.
  ///
  /// Bounded by ``Limits/sessions``.
  private var inOrder: [Session]?
  /// Bounded by ``Limits/sessions``.
  private var byClient: [Identifier: Session] = [:]
  /// How many sessions there are of each group.
  private(set) var counts = SessionCounts()
  /// What each holder has used up, as long as it has sessions and until that is made up for: who
  /// leaves and comes back goes on with what was left.
  ///
  /// Bounded by ``Limits/sessions``, and by those who left within a ``TokenBucket/rest``.
  private(set) var usage: [Holder: Usage] = [:]
  /// Those of whom it is to be looked at whether they can be forgotten, each once, in this order.
  ///
  /// Bounded by ``usage``.
  private var resting: Deque<(holder: Holder, since: Instant)> = []

  struct Usage {
    var sessions = 0
    var (hellos, actions): (TokenBucket, TokenBucket)
    /// Bytes of its actions.
    var actionBytes: TokenBucket
    /// Bytes of history that were read for it.
    var history: TokenBucket
    var reports: ReportBudget
    /// Actions whose effects run.
    var effects = 0
    /// Whether it is to be looked at whether it can be forgotten.
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

    /// Whether there is nothing to remember.
    func isRested(_ now: Instant) -> Bool {
      sessions == 0 && effects == 0 && hellos.isFull(now) && actions.isFull(now)
        && actionBytes.isFull(now) && history.isFull(now) && reports.isFull(now)
    }
  }

  private var lost: LostSessions
  /// Control connections whose session has ended, or continues on another one.
  private var strangers = Strangers()
  private var nextID: UInt64 = 1
  /// Bounded by ``Limits/sessions`` that there were, and that there are.
  private var events: [SessionEvent] = []
  /// No lease ends before this time: as leases are usually extended, a lower bound is enough.
  private var nextLeaseEnd = Instant.distantFuture

  /// When somebody has to be looked at; nothing is missed when nothing happens until then.
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
  /// - Returns: False when its user has said so many that this one is not answered.
  func spendHello(of holder: Holder, now: Instant) -> Bool {
    defer { rest(holder, now) }
    return usage[holder, default: Usage(limits, now: now)].hellos.take(now)
  }

  /// Counts a report that is requested by a holder that is not the owner's, with or without a
  /// session.
  ///
  /// - Parameters:
  ///   - kind: Which reports.
  ///   - holder: The holder.
  ///   - leavingHalf: Whether half of the budget is left for others.
  ///   - now: The moment.
  /// - Returns: False when it has requested so many that this one is refused.
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

  /// Counts an action, or what counts as several.
  ///
  /// - Returns: False when its user has sent so many that this one is refused.
  func spendAction(of session: Session, counting count: Int = 1, now: Instant) -> Bool {
    session.rights.isEverything
      || usage[session.holder]?.actions.take(now, count) ?? true
  }

  /// Counts the bytes of an action.
  ///
  /// - Returns: False when its holder has sent so many that it is refused.
  func spendActionBytes(_ bytes: Int, of session: Session, now: Instant) -> Bool {
    session.rights.isEverything
      || usage[session.holder]?.actionBytes.take(now, bytes) ?? true
  }

  /// Whether history may be read for a session: unless more was read for its holder lately.
  func mayReadHistory(_ session: Session, now: Instant) -> Bool {
    session.rights.isEverything || usage[session.holder]?.history.hasAny(now) ?? true
  }

  /// Counts the bytes of history that were read for a holder.
  func chargeHistory(_ bytes: Int, to holder: Holder, now: Instant) {
    guard !holder.isOwner else { return }
    usage[holder, default: Usage(limits, now: now)].history.charge(now, bytes)
    // Also if its sessions are over by now.
    rest(holder, now)
  }

  /// How many actions of a session's user have effects that run; those of who may do everything are
  /// not counted.
  func effects(of session: Session) -> Int {
    // Looked at for each action, so not looked up where nothing is counted.
    session.rights.isEverything ? 0 : usage[session.holder]?.effects ?? 0
  }

  /// Counts an action of a session's user until its effects have ended, if only after the session.
  func follow(_ task: StoreTask, of session: Session) {
    guard !session.rights.isEverything else { return }
    let holder = session.holder
    usage[holder]?.effects += 1
    task.whenFinished { [weak self] in self?.usage[holder]?.effects -= 1 }
  }

  /// All of them, in the order in which they came.
  package var all: [Session] {
    if let inOrder { return inOrder }
    let found = byToken.values.map { (id: $0.info.id, session: $0) }
      .sorted { $0.id < $1.id }.map(\.session)
    inOrder = found
    return found
  }

  package func session(of peer: PeerID) -> Session? { peers[peer] }

  func session(withToken token: Identifier) -> Session? { byToken[token] }

  func session(ofClient client: Identifier) -> Session? { byClient[client] }

  /// The sessions from before the restart have left; numbering continues after theirs.
  func restore(_ history: KeptHistory) {
    nextID = min(history.sessionNumbers, KeptHistory.greatestNumber) + 1
    for (_, info) in history.sessions.sorted(by: { $0.key < $1.key }) { events.append(.left(info)) }
  }

  /// The greatest number that a session has had.
  var lastID: UInt64 { nextID - 1 }

  // MARK: Coming and going

  /// Opens a session for a client that has none, on a peer that has none.
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
    if session.isListed { events.append(.joined(session.info)) }
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
  /// - Returns: False when it was over already.
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
    if session.isListed { noteEnd(of: session.info) }
    return true
  }

  /// A session's control connection, if it is open, no longer belongs to a session.
  private func forsake(_ session: Session, now: Instant) {
    if session.isConnected { strangers.add(session.peer, now: now) }
  }

  /// A control connection has ended.
  ///
  /// - Returns: The session whose it was.
  func lost(_ peer: PeerID) -> Session? {
    strangers.remove(peer)
    guard let session = session(of: peer) else { return nil }
    session.isConnected = false
    return session
  }

  /// The control connections that have been nobody's for too long at a moment; each is told once.
  func takeStrangers(at moment: Instant) -> [PeerID] {
    strangers.take(at: moment, after: timing.introduction)
  }

  /// Whoever has no session is looked at after a rest.
  private func rest(_ holder: Holder, _ now: Instant) {
    guard let used = usage[holder], used.sessions == 0, !used.isResting else { return }
    usage[holder]?.isResting = true
    resting.append((holder, now))
  }

  /// Forgets what those have used up who have no session, and would have as much left again.
  func forgetRested(at now: Instant) {
    while let first = resting.first, first.since.advanced(by: TokenBucket.rest) <= now {
      resting.removeFirst()
      usage[first.holder]?.isResting = false
      if usage[first.holder]?.isRested(now) ?? false { usage[first.holder] = nil }
      // Who came and went since is looked at again.
      rest(first.holder, now)
    }
  }

  /// Who goes before it was told that he came was never there: so there are never more events than
  /// listed sessions that there were, and that there are.
  private func noteEnd(of session: SessionInfo) {
    if let joined = events.lastIndex(of: .joined(session)) {
      events.remove(at: joined)
    } else {
      events.append(.left(session))
    }
  }

  /// The sessions that came and went since the last call.
  func takeEvents() -> [SessionEvent] {
    guard !events.isEmpty else { return [] }
    defer { events = [] }
    return events
  }

  var hasEvents: Bool { !events.isEmpty }

  // MARK: Leases

  func renew(_ session: Session, now: Instant) {
    session.lastHeard = now
    session.lostStamp = nil
    session.state = .open(until: now.advanced(by: timing.lease))
  }

  /// One of a session's connections is over: what is left of the lease is for coming back.
  ///
  /// Which connection a session had before does not matter, so one that is missed late takes
  /// nothing from a client that has come back.
  func lost(_ session: Session, now: Instant) {
    guard case .open(let leaseEnd) = session.state else { return }
    session.state = .open(until: min(leaseEnd, now.advanced(by: timing.grace)))
    expect(session)
    if session.lostStamp == nil { lost.append(session) }
  }

  /// The session of a group that lost a connection first and has not come back; nil if there is
  /// none.
  ///
  /// It is ended when a new session needs its room.
  func takeLost(of group: SessionGroup) -> Session? { lost.popFirst(of: group) }

  private func expect(_ session: Session) {
    guard case .open(let leaseEnd) = session.state else { return }
    nextLeaseEnd = min(nextLeaseEnd, leaseEnd)
  }

  /// The sessions whose lease was over at a moment, in the order in which they came.
  ///
  /// Looks at all only when the first of them may be over; what is kept is a lower bound.
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
