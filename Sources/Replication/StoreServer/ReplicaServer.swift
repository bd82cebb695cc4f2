package import StoreActor
package import StoreExposures
package import StoreHistory
package import StoreProtocol
import StoreState

/// The daemon's protocol machine around a root store: frames, time and commits in, frames out.
///
/// It does no I/O and reads no clock. ``Sessions`` says who is there, ``Subscriptions`` what is
/// followed and published, ``Joins`` how clients come to follow it, ``OutcomeTable`` what became of
/// their actions; what they say goes through the ``Outbox``. ``DaemonTurn`` drives it.
/// `docs/PROTOCOL.md` §12 has its states.
@MainActor
package final class ReplicaServer {
  package internal(set) var epoch: UInt64
  /// Whether the history may once have been longer; if so it continues in another epoch.
  var epochState = EpochState.own
  /// The clients that were answered since this daemon began in an inherited epoch: what they have
  /// received since is its own.
  ///
  /// Bounded by ``Limits/clients``.
  var greeted: Set<Identifier> = []
  /// The clients that have joined something, the same.
  ///
  /// Bounded by ``Limits/clients``.
  var joinedClients: Set<Identifier> = []
  package let counters = Counters()
  package let root: any RootPort
  /// Records what is reduced, and releases what is durable; nil if the state is in memory only.
  package let recorder: Recorder?
  let limits: Limits
  package let timing: Timing
  let processID: Int32
  let program: String?
  let startedAt: Instant
  let outbox: Outbox
  package let sessions: Sessions
  let subscriptions: Subscriptions
  let subscribers: Subscribers
  let joins: Joins
  package let outcomes: OutcomeTable
  /// What clients may see and send.
  let access: Access
  let random: Randomness
  @exclusivity(unchecked) var now: Moment {
    didSet { recorder?.wallMilliseconds = now.wallMilliseconds }
  }
  /// Actions that were reduced since the turn began.
  @exclusivity(unchecked) var reducedInTurn = 0
  /// The actions of a frame that are still to be reduced; nil where there are none.
  var rest: UnfinishedFrame?
  /// Whether there is something that clients wait for more than for what they have just sent.
  @exclusivity(unchecked) var hasToPause: () -> Bool = { false }
  var notices = NoticeBoard()
  /// Connections of both sockets that are to be shut down.
  ///
  /// Bounded by ``ConnectionTable/Limits/connections``, as each turn takes all.
  var cuts: [Cut] = []
  /// The request budget of each connection.
  ///
  /// Bounded by ``ConnectionTable/Limits/connections``.
  private var reports: [PeerID: ReportBudget] = [:]

  /// A connection to be shut down, and why.
  struct Cut: Hashable {
    let peer: PeerID
    let reason: String
  }
  /// Has somebody find something of the past, and hand it to ``DaemonTurn/finish(_:)``; nil where
  /// none is kept.
  package var onHistory: (@MainActor (HistoryJob) -> Void)?
  /// Carries out commands for keys; nil if the daemon has no keys.
  package var onKeys: (@MainActor (KeyJob) -> Void)?
  /// Pending questions about the history, by the peer that asked, and by holder.
  ///
  /// Bounded by ``Limits/historyJobs``.
  var historyJobs: [PeerID: Int] = [:]
  var historyShares = Shares()
  /// What the last question of each holder with pending ones has cost.
  ///
  /// Bounded by ``Limits/historyJobs``.
  var historyCosts: [Holder: Int] = [:]

  /// Creates the server of a root store; the store's steps and outputs are its own from then on.
  ///
  /// - Parameters:
  ///   - root: The store.
  ///   - recorder: Keeps what is reduced; nil where the state is in memory only.
  ///   - epoch: A random number, new whenever history does not continue.
  ///   - limits: How much of everything there may be.
  ///   - timing: How long everything may take.
  ///   - processID: What the status says.
  ///   - program: The name of the daemon's program, for the status.
  ///   - now: The moment.
  ///   - generator: Where topics and tokens come from; seeded in a simulation.
  ///   - grants: What clients may see and send.
  init(
    root: any RootPort,
    recorder: Recorder?,
    epoch: UInt64,
    limits: Limits,
    timing: Timing,
    processID: Int32,
    program: String? = nil,
    now: Moment,
    generator: any RandomNumberGenerator,
    grants: Grants = .everything,
  ) {
    self.root = root
    access = Access(grants)
    self.recorder = recorder
    self.epoch = epoch
    self.limits = limits
    self.timing = timing
    self.processID = processID
    self.program = program
    self.now = now
    startedAt = now.instant
    random = Randomness(generator)
    outbox = Outbox(limits: limits, timing: timing)
    sessions = Sessions(limits: limits, timing: timing, random: random)
    subscriptions = Subscriptions(
      root,
      outbox: outbox,
      counters: counters,
      limits: limits,
      timing: timing,
      random: random,
    )
    subscribers = Subscribers(subscriptions, limits: limits, timing: timing)
    joins = Joins(
      root,
      epoch: epoch,
      subscriptions: subscriptions,
      outbox: outbox,
      counters: counters,
      limits: limits,
      timing: timing,
      access: access,
    )
    outcomes = OutcomeTable(root, access, outbox: outbox, counters: counters, limits: limits)
    counters.ofTables = { [weak outbox, weak sessions, weak outcomes, weak joins] in
      [
        ("capturedBytes", UInt64(joins?.capturedBytes ?? 0)),
        ("heldBytes", UInt64(outbox?.heldBytes ?? 0)),
        ("outcomeBytes", UInt64(outcomes?.outcomeBytes ?? 0)),
        ("scopeNameBytes", UInt64(sessions?.names.total ?? 0)),
        ("scopeNamesRefused", sessions?.names.refusals ?? 0),
      ]
    }
    recorder?.wallMilliseconds = now.wallMilliseconds
    recorder?.holder = { [access] in access.grants.holder(of: $0) }
    recorder?.onEffects = { [weak outcomes] in outcomes?.onUnsent?() }
  }

  /// Creates the server of a root store.
  ///
  /// - Parameters:
  ///   - root: The store.
  ///   - exposures: What clients may see.
  ///   - journal: Keeps what is reduced; nil where the state is in memory only.
  ///   - recovered: What the journal had, which the store has already; nil where that is nothing.
  ///   - epoch: A random number, new whenever history does not continue.
  ///   - limits: How much of everything there may be.
  ///   - timing: How long everything may take.
  ///   - processID: What the status says.
  ///   - program: The name of the daemon's program, for the status.
  ///   - now: The moment.
  ///   - generator: Where topics and tokens come from; seeded in a simulation.
  ///   - grants: What clients may see and send.
  ///   - restoredAction: The root action that tells the reducer of a restart, if any.
  ///   - sessionAction: The root action that tells the reducer of a listed session, if any.
  package convenience init<Root: Sendable, RootAction>(
    root: RootCore<Root, RootAction>,
    exposures: [Expose<Root, RootAction>],
    journal: RootJournal<Root>? = nil,
    recovered: Recovered<Root>? = nil,
    epoch: UInt64,
    limits: Limits = Limits(),
    timing: Timing = Timing(),
    processID: Int32,
    program: String? = nil,
    now: Moment,
    generator: any RandomNumberGenerator,
    grants: Grants = .everything,
    restoredAction: @escaping (Restoration) -> RootAction? = { _ in nil },
    sessionAction: @escaping (SessionEvent) -> RootAction? = { _ in nil },
  ) {
    self.init(
      root: TypedRoot(
        root,
        exposures: exposures,
        limits: limits,
        journal: journal,
        recovered: recovered,
        restoredAction: restoredAction,
        sessionAction: sessionAction,
      ),
      recorder: journal?.recorder,
      epoch: epoch,
      limits: limits,
      timing: timing,
      processID: processID,
      program: program,
      now: now,
      generator: generator,
      grants: grants,
    )
    if let recovered { restore(recovered) }
  }

  /// Continues from the recovered state: sessions from before have left.
  func restore<Root>(_ recovered: Recovered<Root>) {
    // Where the journal had nothing, the epoch is new, and nobody has received anything of it.
    if recovered.restoration != nil { epochState = .inherited(through: recovered.revision) }
    outcomes.restore(recovered.history.clients)
    sessions.restore(recovered.history)
    deliverSessionEvents()
    if let problem = root.restart() {
      notices.add(ServerNotice(kind: .warning, peer: "journal", text: problem))
    }
    recorder?.started()
  }

  /// Stops observing the root store, which may outlive the server.
  func detach() { root.detach() }

  /// The newest revision that may be published.
  package var revision: UInt64 { root.revision }

  /// The first message for each new connection of the publishing socket.
  package var welcome: [UInt8] { Welcome(epoch: epoch).encoded() }

  /// Called when there is something to send at the end of a turn, also between turns: for example
  /// when the effects of an action have ended.
  var onUnsent: (@MainActor () -> Void)? {
    get { outcomes.onUnsent }
    set { outcomes.onUnsent = newValue }
  }

  // MARK: What comes in

  /// Receives a control frame.
  ///
  /// - Parameters:
  ///   - frame: The frame.
  ///   - peer: Who sent it.
  ///   - caller: Who that is, as the transport says.
  ///   - moment: When it came.
  func receive(
    control frame: ArraySlice<UInt8>,
    from peer: PeerID,
    caller: @autoclosure () -> Caller,
    at moment: Moment,
  ) {
    now = moment
    counters.controlFrames += 1
    if isCut(peer) { return }
    do throws(MessageError) {
      let message = try ClientMessage(frame: frame, mostActions: limits.actionsPerFrame)
      if let session = sessions.session(of: peer) {
        sessions.renew(session, now: now.instant)
        handle(message, of: session, caller: caller)
      } else {
        handle(message, ofStranger: peer, caller())
      }
    } catch {
      let what = "a frame that is not a message: \(error)"
      malformed(from: peer, what, caller: caller(), at: moment)
    }
  }

  /// Reports something that no correct client sends, and ends the peer's session.
  func malformed(
    from peer: PeerID,
    _ what: String,
    caller: @autoclosure () -> Caller,
    at moment: Moment,
  ) {
    now = moment
    counters.malformed += 1
    let what = what.bounded(toBytes: TextLimits.failureBytes)
    let known = sessions.session(of: peer)?.holder
    notice(peer, what, of: known ?? access.holder(of: caller()))
    if let session = sessions.session(of: peer) {
      end(session, code: "protocolError", message: "You sent \(what)")
    }
  }

  /// Receives a message that was sent upstream on the publishing socket.
  ///
  /// - Parameters:
  ///   - frame: The message.
  ///   - peer: The connection that it came on.
  ///   - moment: When it came.
  func receive(upstream frame: ArraySlice<UInt8>, from peer: PeerID, at moment: Moment) {
    now = moment
    subscribers.heard(peer, now: now.instant)
    switch frame.first {
    case 0: subscribers.unsubscribed(peer, from: Topic(bytes: frame.dropFirst()))
    case 1:
      counters.subscriptions += 1
      subscribers.subscribed(peer, to: Topic(bytes: frame.dropFirst()))
    case Fence.mark:
      do throws(MessageError) {
        receive(try Fence(frame: frame), from: peer)
      } catch {
        counters.malformed += 1
      }
    default: counters.malformed += 1
    }
  }

  /// Records that a connection of either socket has ended.
  func lost(_ peer: PeerID, at moment: Moment) {
    now = moment
    reports[peer] = nil
    outbox.forget(peer)
    outcomes.dismiss(peer)
    if let session = subscribers.lost(peer) ?? sessions.lost(peer) {
      sessions.lost(session, now: now.instant)
    }
  }

  /// The connections that are to be shut down.
  func takeCuts() -> [Cut] {
    let subscribers = subscribers.takeCuts()
    counters.cutSubscribers += UInt64(subscribers.count)
    guard !cuts.isEmpty || !subscribers.isEmpty else { return [] }
    defer { cuts = [] }
    return cuts + subscribers
  }

  /// Receives the result of a job.
  func receive(_ result: CaptureJob.Result, at moment: Moment) {
    now = moment
    joins.finish(result, now: now.instant)
    for session in joins.hoarders(among: sessions.all) {
      counters.blockedPeers += 1
      shutOut(session.peer, "does not take the snapshots that it asks for", of: session.holder)
    }
  }

  /// Receives an answer about the history.
  func receive(_ result: HistoryJob.Result, at moment: Moment) {
    now = moment
    historyJobs[result.peer] = historyJobs[result.peer].flatMap { $0 > 1 ? $0 - 1 : nil }
    historyShares.add(-1, to: result.holder)
    historyCosts[result.holder] = historyShares[result.holder] > 0 ? result.scanned : nil
    sessions.chargeHistory(result.scanned, to: result.holder, now: now.instant)
    finish(result)
  }

  /// Receives the result of a command for keys.
  func receive(_ result: KeyJob.Result, at moment: Moment) {
    now = moment
    tell(result.request, result.answer, to: result.peer)
  }

  /// A peer's queue is full: its frame is sent later, unless too many bytes wait by then.
  func hold(_ frame: [UInt8], for peer: PeerID) {
    // Nobody waits for who is about to be shut down.
    if isCut(peer) { return }
    let holder = sessions.session(of: peer)?.holder ?? .unknown
    for greedy in outbox.hold(frame, for: peer, of: holder, at: now.instant) {
      shutOutDeaf(greedy, of: sessions.session(of: greedy)?.holder ?? .unknown)
    }
  }

  private func shutOutDeaf(_ peer: PeerID, of holder: Holder) {
    counters.blockedPeers += 1
    shutOut(peer, "does not read what it is sent", of: holder)
  }

  /// Ends a connection at the end of the turn, and ignores what else it has sent.
  private func shutOut(_ peer: PeerID, _ reason: String, of holder: Holder) {
    notice(peer, "\(reason); its session ends", of: holder)
    if let session = sessions.session(of: peer) { end(session, code: nil, message: "") }
    outbox.forget(peer)
    cuts.append(Cut(peer: peer, reason: reason))
  }

  /// Whether a connection is about to be shut down.
  func isCut(_ peer: PeerID) -> Bool {
    !cuts.isEmpty && cuts.contains { $0.peer == peer }
  }

  /// Whether a connection may request one more status; it is shut down if it, or its holder,
  /// requests too many.
  func mayHaveStatus(_ peer: PeerID, _ caller: Caller) -> Bool {
    mayHaveOne(of: \.statuses, peer, access.holder(of: caller))
  }

  /// Whether a connection may make one more other request; it is shut down if it, or its holder,
  /// makes too many.
  func mayAsk(_ peer: PeerID, _ caller: Caller) -> Bool {
    mayHaveOne(of: \.questions, peer, access.holder(of: caller))
  }

  private func mayHaveOne(
    of kind: WritableKeyPath<ReportBudget, TokenBucket>,
    _ peer: PeerID,
    _ holder: Holder,
  ) -> Bool {
    var own = reports[peer] ?? .ofConnection(limits, now: now.instant)
    let isRested = own[keyPath: kind].isFull(now.instant)
    let hasOwn = own[keyPath: kind].take(now.instant)
    reports[peer] = own
    // Of peers that are told apart by nothing, those who ask all the time leave half to the others.
    let leavesHalf = holder.isJoint && !isRested
    if hasOwn,
      holder.isOwner
        || sessions.spendReport(kind, of: holder, leavingHalf: leavesHalf, now: now.instant)
    {
      return true
    }
    counters.reportsRefused += 1
    // It may be others who have asked too much: then this one is only not answered.
    if !hasOwn || !holder.isJoint {
      shutOut(peer, "asks for more reports than are given", of: holder)
    }
    return false
  }

  // MARK: Turns

  /// Whether so much was reduced that it should be published before more is received.
  var isTurnFull: Bool { reducedInTurn >= limits.actionsPerFrame }

  /// Publishes the turn's changes, sends replies, and does what is due.
  ///
  /// - Parameters:
  ///   - moment: The moment.
  ///   - heard: Everything that came up to this moment was taken. Who is silent is judged as of
  ///     then: a client must not lose its session because we were slow.
  func endTurn(_ moment: Moment, heardUntil heard: Moment) {
    now = moment
    for session in sessions.expired(at: heard.instant) {
      counters.leasesEnded += 1
      // A client that has stopped would be told when it goes on: until then all of it would wait.
      if outbox.holds(for: session.peer) {
        shutOutDeaf(session.peer, of: session.holder)
        continue
      }
      let message = "Nothing was heard of you for \(timing.lease); say hello again."
      end(session, code: "leaseEnded", message: message)
    }
    for peer in sessions.takeStrangers(at: heard.instant) {
      counters.cutSessionless += 1
      cuts.append(Cut(peer: peer, reason: "has no session any more"))
    }
    sessions.forgetRested(at: now.instant)
    endExhausting()
    deliverSessionEvents()
    if needsRecord { root.advance() }
    subscriptions.flush(now: now.instant)
    subscribers.check(at: heard.instant)
    reducedInTurn = 0
    recorder?.noteWait(now.instant)
    outcomes.sendAll()
    subscriptions.sendDueBookmarks(now: now.instant)
    joins.sendWorking(now: now.instant)
    joins.freeDiscarded()
  }

  /// Ends the sessions, and so the effects, of holders that make more than the disk takes.
  private func endExhausting() {
    guard let holders = recorder?.exhausting, !holders.isEmpty else { return }
    for session in sessions.all where holders.contains(session.holder) {
      let message = "Your actions' effects change more than the daemon's disk takes."
      end(session, code: Outcome.overloaded, message: message)
    }
  }

  /// When ``endTurn(_:heardUntil:)`` has something to do without a frame, or may have; nil when
  /// nothing is under way.
  package var nextDeadline: Instant? {
    let silence = min(sessions.nextDeadline, subscribers.nextDeadline)
    // What was sent may wait, and is heard so much later.
    let isLate = needsBackpressure(now.instant) || !waitingHolders(now.instant).isEmpty
    let lateness = isLate ? timing.backlog : .zero
    let next = min(
      silence.advanced(by: lateness),
      subscriptions.nextDeadline,
      joins.nextDeadline,
      outbox.nextRetry,
      recorder?.nextDeadline ?? .distantFuture,
      notices.due,
    )
    return next == .distantFuture ? nil : next
  }

  /// Whether there is something to publish, send or start at once.
  var hasWork: Bool {
    subscriptions.isDirty || outcomes.hasUnsent || hasSessionEvents || !outbox.isEmpty
      || joins.hasPieces || joins.hasJobs || joins.hasDiscarded || root.hasEffectsToStart
      || recorder?.hasBatch ?? false || needsRecord
  }

  // MARK: What goes out

  /// The next frame to send; nil when there is none.
  func nextFrame() -> OutgoingFrame? { outbox.next() }

  /// The next piece of a snapshot for joining clients, which is sent after all other frames.
  func nextPiece() -> OutgoingFrame? { joins.nextPiece() }

  /// The next job to run on another thread; nil if none is to start now.
  func nextJob() -> CaptureJob? { joins.nextJob() }

  /// Records what has not been recorded yet, because the daemon is about to end.
  func recordLast(_ moment: Moment) {
    if recorder?.needsLastRecord(moment.instant) ?? false { root.advance() }
  }

  /// Finishes accepted actions and says goodbye to all clients.
  ///
  /// - Parameters:
  ///   - moment: The moment.
  ///   - heard: As of when silence is judged.
  ///   - reason: Why nothing can be kept any more, where that is why.
  /// - Returns: Who was told.
  @discardableResult
  func shutDown(_ moment: Moment, heardUntil heard: Moment, reason: String? = nil) -> Set<PeerID> {
    endTurn(moment, heardUntil: heard)
    let all = sessions.all
    for session in all {
      let message =
        reason.map { "The daemon cannot keep its state: \($0)" }
        ?? "The daemon is stopping."
      audit(session, "A session ends.", reason: "goingDown")
      outbox.send(.goodbye(code: "goingDown", message: message), to: session.peer)
      session.actions.cancelAll()
    }
    return Set(all.map(\.peer))
  }

  /// What the operator should know since the last call.
  func takeNotices(isLast: Bool = false) -> [ServerNotice] {
    notices.take(at: now.instant, isLast: isLast)
  }

  private func notice(_ peer: PeerID, _ text: String, of holder: Holder) {
    let address = sessions.session(of: peer)?.info.address
    let notice = ServerNotice(kind: .warning, peer: address ?? "\(peer)", text: text)
    notices.add(notice, of: holder, at: now.instant)
  }

  /// Adds an event of a session to what the daemon's operator is told.
  func audit(_ session: Session, _ text: String, reason: String? = nil) {
    let name = session.info.name.debugDescription
    var details = ["session": "\(session.info.id)", "name": name]
    details["identity"] = "\(session.origin.identity)"
    details["reason"] = reason
    notices.add(
      ServerNotice(kind: .audit, peer: session.info.address, text: text, details: details),
      of: session.holder,
      at: now.instant,
    )
  }

  // MARK: Messages

  private func handle(
    _ message: ClientMessage,
    ofStranger peer: PeerID,
    _ caller: Caller,
  ) {
    switch message {
    case .hello(let hello):
      outcomes.dismiss(peer)
      greet(hello, from: peer, caller)
    case .keys(let request, let command): take(request, command, from: peer, caller)
    // Whoever has a ticket hands in a key, and is told nothing.
    case .describe where caller.ticket != nil, .status where caller.ticket != nil:
      outbox.send(.needHello, to: peer)
    case .describe(let request): describe(request, to: peer, caller)
    case .status(let request): status(request, to: peer, caller)
    // It is about to be told goodbye.
    case _ where outcomes.isLeaving(peer): break
    default: outbox.send(.needHello, to: peer)
    }
  }

  private func handle(
    _ message: ClientMessage,
    of session: Session,
    caller: () -> Caller,
  ) {
    switch message {
    case .hello(let hello): greet(hello, from: session.peer, caller())
    case .describe(let request): describe(request, to: session.peer, session.caller)
    case .status(let request): status(request, to: session.peer, session.caller)
    case .history(let request, let query): history(request, query, of: session)
    case .keys(let request, let command):
      take(request, command, from: session.peer, session.caller)
    case .rows(let request, let query): rows(request, query, of: session)
    case .join(_, let requests) where requests.count > limits.scopesPerJoin:
      let most = limits.scopesPerJoin
      let message = "You asked for \(requests.count) scopes in one join, and \(most) may be."
      end(session, code: "protocolError", message: message)
    case .join(_, let requests) where detectRollback(requests, of: session): break
    case .join(_, let requests) where !spendJoin(requests.count, of: session):
      // Whoever gets no answer to a join asks again, a little later each time.
      counters.joinsThrottled += 1
    case .join(let nonce, let requests): join(session, nonce, requests)
    case .actions(let first, let requests): accept(requests[...], first: first, from: session)
    case .ping(let number, let revision): answerPing(number, of: session, at: revision)
    case .cancel(let sequence): session.actions.cancel(sequence)
    case .credit(let nonce, let bytes): joins.credit(session, nonce: nonce, bytes: bytes)
    case .bye: end(session, code: nil, message: "", isFarewell: true)
    case .unknown(let kind):
      counters.notUnderstood += 1
      let message = "This daemon knows no message of kind \(kind)."
      outbox.send(.notUnderstood(kind: kind, message: message), to: session.peer)
    }
  }

  /// Counts a join against its holder's rate, as so many actions as its entries take the time of.
  ///
  /// One that counts for more than all actions of a second is taken when nothing was spent.
  private func spendJoin(_ entries: Int, of session: Session) -> Bool {
    let count = min(entries * limits.actionsPerJoinEntry, limits.actionsPerSecond)
    return sessions.spendAction(of: session, counting: count, now: now.instant)
  }

  private func join(
    _ session: Session,
    _ nonce: UInt64,
    _ requests: [ClientMessage.JoinRequest],
  ) {
    let last = session.scopes.lastNonce
    guard joins.join(session, nonce: nonce, requests, now: now.instant) else {
      let message = "You sent a join named \(nonce) after one named \(last)"
      return end(session, code: "protocolError", message: message)
    }
    if joins.needsNoFence(session) { bring(session, to: nonce) }
  }

  /// Brings a session to the newest revision in a join's view.
  ///
  /// - Returns: False when the session has no join of that name.
  @discardableResult
  private func bring(_ session: Session, to nonce: UInt64) -> Bool {
    // Everything before is part of what the client is brought to, and is published first.
    deliverSessionEvents()
    subscriptions.flush(now: now.instant)
    return joins.completeJoin(session, nonce: nonce, now: now.instant)
  }

  private func answerPing(_ number: UInt64, of session: Session, at revision: UInt64) {
    session.appliedRevision = revision
    session.scopes.applied(revision, at: now.instant)
    // What the turn changed goes out first, so that the pong does not run ahead of it.
    subscriptions.flush(now: now.instant)
    outbox.send(
      .pong(number: number, revision: root.revision, watermark: session.watermark),
      to: session.peer,
    )
  }

  private func receive(_ fence: Fence, from peer: PeerID) {
    guard let session = sessions.session(withToken: fence.token) else {
      counters.strayFences += 1
      return
    }
    subscribers.bind(peer, to: session, now: now.instant)
    guard bring(session, to: fence.nonce) else {
      counters.strayFences += 1
      return
    }
    counters.fences += 1
    sessions.renew(session, now: now.instant)
  }

  // MARK: Invariants

  /// Traps if the server's parts are inconsistent; for tests and simulations.
  package func checkInvariants() {
    sessions.checkInvariants()
    subscriptions.checkInvariants()
    subscribers.checkInvariants(sessions.all)
    joins.checkInvariants(sessions.all)
    outcomes.checkInvariants()
    outbox.checkInvariants()
    recorder?.checkInvariants()
  }
}

extension OutgoingFrame {
  /// How many bytes it has.
  var bytes: Int {
    switch self {
    case .control(_, let bytes), .publish(_, let bytes): bytes.count
    }
  }
}
