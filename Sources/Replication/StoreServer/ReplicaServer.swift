package import StoreActor
package import StoreExposures
package import StoreHistory
package import StoreProtocol
import StoreState

/// The daemon's protocol state machine for a root store.
///
/// Its inputs are frames, time and commits; its outputs are frames.
///
/// It does no I/O and reads no clock. ``Sessions`` holds the sessions and their leases,
/// ``Subscriptions`` the followed and published scopes, ``Joins`` the clients that begin to follow,
/// ``OutcomeTable`` the outcomes of actions. All of them send through the ``Outbox``.
/// ``DaemonTurn`` drives the server. `docs/PROTOCOL.md` §12 lists its states.
@MainActor
package final class ReplicaServer {
  package internal(set) var epoch: UInt64
  /// Whether the history may once have been longer; such a history continues in another epoch.
  var epochState = EpochState.own
  /// The clients that were answered since this daemon began in an inherited epoch: all revisions
  /// that they have received since then are this daemon's.
  ///
  /// Bounded by ``Limits/clients``.
  var greeted: Set<Identifier> = []
  /// The clients that have joined a scope since this daemon began in an inherited epoch.
  ///
  /// Bounded by ``Limits/clients``.
  var joinedClients: Set<Identifier> = []
  package let counters = Counters()
  let root: any RootPort
  /// Records reduced actions and releases durable revisions; nil if the state is in memory only.
  let recorder: Recorder?
  let limits: Limits
  package let timing: Timing
  let processID: Int32
  let program: String?
  let startedAt: Instant
  let outbox: Outbox
  let sessions: Sessions
  let subscriptions: Subscriptions
  let subscribers: Subscribers
  let joins: Joins
  let outcomes: OutcomeTable
  /// The rights of clients: the scopes that they see, the actions that they send.
  let access: Access
  let random: Randomness
  @exclusivity(unchecked) var now: Moment {
    didSet { recorder?.wallMilliseconds = now.wallMilliseconds }
  }
  /// The joins and departures of sessions that this turn has delivered.
  var sessionEventsInTurn = 0
  /// Actions that were reduced since the turn began.
  @exclusivity(unchecked) var reducedInTurn = 0
  /// The actions of a frame that are still to be reduced; nil if no frame is unfinished.
  var rest: UnfinishedFrame?
  /// Whether a journal result waits: clients need it sooner than the rest of a frame.
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

  /// A connection to be shut down, and the reason.
  struct Cut: Hashable {
    let peer: PeerID
    let reason: String
  }
  /// The running effects that outlive their senders.
  let work: DaemonWork
  /// The holders' shares of schedules.
  let schedules: ScheduleShares
  /// The reduction in progress, and those during which the daemon ended before.
  let crashNotes: CrashNotes
  /// Starts a search of the history, whose result is passed to ``DaemonTurn/finish(_:)``; nil if no
  /// history is kept.
  package var onHistory: (@MainActor (HistoryJob) -> Void)?
  /// Carries out commands for keys; nil if the daemon has no keys.
  package var onKeys: (@MainActor (KeyJob) -> Void)?
  /// Pending history queries, by the peer that asked.
  ///
  /// Bounded by ``Limits/historyJobs``.
  var historyJobs: [PeerID: Int] = [:]
  var historyShares = Shares()
  /// The bytes that the last query of each holder read; kept while the holder has pending queries.
  ///
  /// Bounded by ``Limits/historyJobs``.
  var historyCosts: [Holder: Int] = [:]

  /// Creates the server of a root store.
  ///
  /// From now on only it takes the steps and outputs.
  ///
  /// - Parameters:
  ///   - root: The store.
  ///   - recorder: Records reduced actions; nil if the state is in memory only.
  ///   - epoch: A random number, changed whenever the history does not continue.
  ///   - limits: The limits of sizes, counts and rates.
  ///   - timing: The durations of leases, turns and waits.
  ///   - processID: The daemon's process id, for the status.
  ///   - program: The name of the daemon's program, for the status.
  ///   - now: The current time.
  ///   - generator: The source of topics and tokens; seeded in a simulation.
  ///   - grants: The rights of clients.
  ///   - crashes: The reductions during which the daemon ended before.
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
    crashes: CrashNotes = CrashNotes(),
  ) {
    self.root = root
    crashNotes = crashes
    root.crashNotes = crashes
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
    work = DaemonWork(limits)
    schedules = ScheduleShares(limits, access)
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
    reportTables()
    recorder?.wallMilliseconds = now.wallMilliseconds
    recorder?.holder = { [access] in access.grants.holder(of: $0) }
    recorder?.onEffects = { [weak outcomes] in outcomes?.onUnsent?() }
    followWork()
    root.scheduleObserver = schedules
    schedules.onLost = { [unowned self] in noticeLost($0, $1) }
  }

  /// Reports the bytes of peers that the tables keep.
  private func reportTables() {
    counters.ofTables = {
      [weak outbox, weak sessions, weak outcomes, weak joins, weak schedules, crashNotes] in
      [
        ("crashes", UInt64(crashNotes.count)),
        ("schedules", UInt64(schedules?.count ?? 0)),
        ("capturedBytes", UInt64(joins?.capturedBytes ?? 0)),
        ("heldBytes", UInt64(outbox?.heldBytes ?? 0)),
        ("outcomeBytes", UInt64(outcomes?.outcomeBytes ?? 0)),
        ("scopeNameBytes", UInt64(sessions?.names.total ?? 0)),
        ("scopeNamesRefused", sessions?.names.refusals ?? 0),
      ]
    }
  }

  /// Counts the effects that outlive their senders, from now on.
  private func followWork() {
    root.onOutliving = { [weak work, access] name, lineage in
      let holder = lineage.origin.map { access.grants.holder(of: $0.identity) }
      work?.follow(name, lineage, of: holder)
    }
  }

  /// Creates the server of a root store.
  ///
  /// - Parameters:
  ///   - root: The store.
  ///   - exposures: The scopes that clients can follow.
  ///   - journal: Records reduced actions; nil if the state is in memory only.
  ///   - recovered: The state from the journal, which the store already has; nil for a new state.
  ///   - epoch: A random number, changed whenever the history does not continue.
  ///   - limits: The limits of sizes, counts and rates.
  ///   - timing: The durations of leases, turns and waits.
  ///   - processID: The daemon's process id, for the status.
  ///   - program: The name of the daemon's program, for the status.
  ///   - now: The current time.
  ///   - generator: The source of topics and tokens; seeded in a simulation.
  ///   - grants: The rights of clients.
  ///   - crashes: The reductions during which the daemon ended before.
  ///   - restoredAction: The root action that notifies the reducer of a restart, if any.
  ///   - sessionAction: The root action that notifies the reducer of a listed session, if any.
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
    crashes: CrashNotes = CrashNotes(),
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
      crashes: crashes,
    )
    if let recovered { restore(recovered) }
  }

  /// Continues from the recovered state; the sessions from before the restart have left.
  func restore<Root>(_ recovered: Recovered<Root>) {
    // If the journal was empty, the epoch is new, and no client has received a revision of it.
    if recovered.restoration != nil { epochState = .inherited(through: recovered.revision) }
    outcomes.restore(recovered.history.clients)
    let isHeldBack = recovered.restoration?.isHeldBack ?? false
    sessions.restore(recovered.history)
    let departed = isHeldBack ? [] : recovered.history.sessionsInOrder
    if let problem = root.restart(after: departed) {
      notices.add(ServerNotice(kind: .warning, peer: "journal", text: problem))
    }
    recorder?.started()
  }

  /// Informs the reducer of the first start of its daemon, before clients connect.
  package func startFirst() {
    root.startFirst()
    recorder?.started()
  }

  /// Stops observing the root store, which can outlive the server.
  func detach() {
    root.detach()
    // What a client has started ends with the daemon, although the process may go on.
    work.cancel { _ in true }
  }

  /// The newest revision that may be published.
  package var revision: UInt64 { root.revision }

  /// The first message for each new connection of the publishing socket.
  package var welcome: [UInt8] { Welcome(epoch: epoch).encoded() }

  /// Called when the end of a turn has frames to send.
  ///
  /// Calls also occur between turns, for example when the effects of an action have ended.
  var onUnsent: (@MainActor () -> Void)? {
    get { outcomes.onUnsent }
    set { outcomes.onUnsent = newValue }
  }

  // MARK: Arrived frames

  /// Receives a control frame.
  ///
  /// - Parameters:
  ///   - frame: The frame.
  ///   - peer: The sender.
  ///   - caller: The sender's identity, from the transport.
  ///   - moment: The time of receipt.
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

  /// Reports an input that no correct client sends, and ends the peer's session.
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
  ///   - peer: The connection that received it.
  ///   - moment: The time of receipt.
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

  /// Returns the connections to shut down, each once.
  func takeCuts() -> [Cut] {
    let subscribers = subscribers.takeCuts()
    counters.cutSubscribers += UInt64(subscribers.count)
    guard !cuts.isEmpty || !subscribers.isEmpty else { return [] }
    defer { cuts = [] }
    return cuts + subscribers
  }

  /// Receives the result of a capture job.
  func receive(_ result: CaptureJob.Result, at moment: Moment) {
    now = moment
    joins.finish(result, now: now.instant)
    for session in joins.hoarders(among: sessions.all) {
      counters.blockedPeers += 1
      shutOut(session.peer, "does not take the snapshots that it asks for", of: session.holder)
    }
  }

  /// Receives the result of a history query.
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

  /// Holds a frame for a peer whose queue is full.
  ///
  /// The frame is sent later, unless too many bytes wait by then.
  func hold(_ frame: [UInt8], for peer: PeerID) {
    // No frame is held for a connection that is about to be shut down.
    if isCut(peer) { return }
    let holder = sessions.session(of: peer)?.holder ?? .unknown
    for greedy in outbox.hold(frame, for: peer, of: holder, at: now.instant) {
      shutOutDeaf(greedy, of: sessions.session(of: greedy)?.holder ?? .unknown)
    }
  }

  private func shutOutDeaf(_ peer: PeerID, of holder: Holder) {
    counters.blockedPeers += 1
    shutOut(peer, "does not read its messages", of: holder)
  }

  /// Ends a connection at the end of the turn, and ignores its later frames.
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

  /// Whether a connection may request one more status.
  ///
  /// Too many requests of the connection, or of its holder, shut it down.
  func mayHaveStatus(_ peer: PeerID, _ caller: Caller) -> Bool {
    mayHaveOne(of: \.statuses, peer, access.holder(of: caller))
  }

  /// Whether a connection may make one more request of another kind.
  ///
  /// Too many requests of the connection, or of its holder, shut it down.
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
    // Peers of a joint holder cannot be distinguished: those that ask all the time leave half to
    // the rest.
    let leavesHalf = holder.isJoint && !isRested
    if hasOwn,
      holder.isOwner
        || sessions.spendReport(kind, of: holder, leavingHalf: leavesHalf, now: now.instant)
    {
      return true
    }
    counters.reportsRefused += 1
    // Other peers of a joint holder may have used its budget: this peer then only gets no answer.
    if !hasOwn || !holder.isJoint {
      shutOut(peer, "asks for more reports than are given", of: holder)
    }
    return false
  }

  // MARK: Turns

  /// Whether the turn's changes should be published before more frames are received.
  var isTurnFull: Bool { reducedInTurn >= limits.actionsPerFrame }

  /// Publishes the turn's changes, sends replies, and performs due work.
  ///
  /// - Parameters:
  ///   - moment: The current time.
  ///   - heard: All frames that arrived up to this time were received. Silence is judged as of
  ///     then: a client must not lose its session because the daemon was slow.
  func endTurn(_ moment: Moment, heardUntil heard: Moment) {
    now = moment
    for session in sessions.expired(at: heard.instant) {
      counters.leasesEnded += 1
      // A stopped client would read the goodbye only when it continues, and its held frames would
      // wait until then.
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
    sessionEventsInTurn = 0
    if needsRecord { root.advance() }
    subscriptions.flush(now: now.instant)
    subscribers.check(at: heard.instant)
    reducedInTurn = 0
    reportRefusals()
    recorder?.noteWait(now.instant)
    outcomes.sendAll()
    subscriptions.sendDueBookmarks(now: now.instant)
    joins.sendWorking(now: now.instant)
    joins.freeDiscarded()
    // After a lease every earlier session has returned or ended.
    if now.instant >= startedAt.advanced(by: timing.lease) { root.letVersionsGo() }
  }

  /// Ends the sessions, and thereby the effects, of holders whose effects change more than the disk
  /// can store in time.
  private func endExhausting() {
    guard let holders = recorder?.exhausting, !holders.isEmpty else { return }
    for session in sessions.all where holders.contains(session.holder) {
      let message = "Your actions' effects change more than the daemon's disk takes."
      end(session, code: Outcome.overloaded, message: message)
    }
    work.cancel { holders.contains($0) }
    cancelSchedules { holders.contains(access.grants.holder(of: $0)) }
  }

  /// When ``endTurn(_:heardUntil:)`` may have work to do without a frame; nil if never.
  var nextDeadline: Instant? {
    let silence = min(sessions.nextDeadline, subscribers.nextDeadline)
    // While frames are left unread, silence is judged later by this time.
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

  /// Whether there is work to publish, send or start immediately.
  var hasWork: Bool {
    subscriptions.isDirty || outcomes.hasUnsent || hasSessionEvents || !outbox.isEmpty
      || joins.hasPieces || joins.hasJobs || joins.hasDiscarded || root.hasEffectsToStart
      || recorder?.hasBatch ?? false || needsRecord
  }

  // MARK: Frames to send

  /// The next frame to send; nil if the outbox is empty.
  func nextFrame() -> OutgoingFrame? { outbox.next() }

  /// The next piece of a snapshot for joining clients, which is sent after all other frames.
  func nextPiece() -> OutgoingFrame? { joins.nextPiece() }

  /// The next job to run on another thread; nil if no job is ready to start.
  func nextJob() -> CaptureJob? { joins.nextJob() }

  /// Records the remaining changes, because the daemon is about to end.
  func recordLast(_ moment: Moment) {
    if recorder?.needsLastRecord(moment.instant) ?? false { root.advance() }
  }

  /// Finishes accepted actions and sends goodbyes to all clients.
  ///
  /// - Parameters:
  ///   - moment: The current time.
  ///   - heard: The time as of which silence is judged.
  ///   - reason: Why the state can no longer be kept, if that is the cause.
  ///   - message: What the clients are notified of otherwise.
  /// - Returns: The peers that were sent a goodbye.
  @discardableResult
  func shutDown(
    _ moment: Moment,
    heardUntil heard: Moment,
    reason: String? = nil,
    message: String = "The daemon is stopping.",
  ) -> Set<PeerID> {
    endTurn(moment, heardUntil: heard)
    let all = sessions.all
    for session in all {
      let message = reason.map { "The daemon cannot keep its state: \($0)" } ?? message
      audit(session, "A session ends.", reason: "goingDown")
      outbox.send(.goodbye(code: "goingDown", message: message), to: session.peer)
      session.actions.cancelAll()
    }
    return Set(all.map(\.peer))
  }

  /// Returns the operator's notices since the last call.
  func takeNotices(isLast: Bool = false) -> [ServerNotice] {
    notices.take(at: now.instant, isLast: isLast)
  }

  /// Adds a warning about a peer to the notices for the daemon's operator.
  func notice(_ peer: PeerID, _ text: String, of holder: Holder) {
    let address = sessions.session(of: peer)?.info.address
    let notice = ServerNotice(kind: .warning, peer: address ?? "\(peer)", text: text)
    notices.add(notice, of: holder, at: now.instant)
  }

  /// Adds a session's event to the notices for the daemon's operator.
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
    // A caller with a ticket may only enrol a key, and receives no reports.
    case .describe where caller.ticket != nil, .status where caller.ticket != nil:
      outbox.send(.needHello, to: peer)
    case .describe(let request): describe(request, to: peer, caller)
    case .status(let request): status(request, to: peer, caller)
    // A goodbye to this connection is about to be sent.
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
    case .schedules(let request, let query): schedules(request, query, of: session)
    case .join(_, let requests) where requests.count > limits.scopesPerJoin:
      let most = limits.scopesPerJoin
      let message = "You asked for \(requests.count) scopes in one join, and \(most) may be."
      end(session, code: "protocolError", message: message)
    case .join(_, let requests) where detectRollback(requests, of: session): break
    case .join(_, let requests) where !spendJoin(requests.count, of: session):
      // A client without an answer to a join asks again, with growing delays.
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

  /// Counts a join against its holder's rate, as the number of actions that take the same time.
  ///
  /// The count is at most the actions of one second, so a full bucket allows any join.
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
  /// - Returns: False if the session has no join of that nonce.
  @discardableResult
  private func bring(_ session: Session, to nonce: UInt64) -> Bool {
    // Earlier changes are part of the revision that the client is brought to, and are published
    // first.
    deliverSessionEvents(before: session)
    subscriptions.flush(now: now.instant)
    return joins.completeJoin(session, nonce: nonce, now: now.instant)
  }

  private func answerPing(_ number: UInt64, of session: Session, at revision: UInt64) {
    session.appliedRevision = revision
    session.scopes.applied(revision, at: now.instant)
    // The turn's changes are sent first, so that the pong does not overtake them.
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
  /// The number of its bytes.
  var bytes: Int {
    switch self {
    case .control(_, let bytes), .publish(_, let bytes): bytes.count
    }
  }
}
