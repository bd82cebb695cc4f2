import DequeModule
import StoreActor
import StoreHistory
import StoreProtocol

/// The outcomes of clients' actions: the records that make a retry idempotent, and the outcomes
/// that are still to be sent.
@MainActor
final class OutcomeTable {
  private let root: any RootPort
  private let outbox: Outbox
  private let counters: Counters
  private let limits: Limits
  private let access: Access
  /// The records of all clients with an outcome.
  ///
  /// Bounded by ``Limits/clients`` and ``Limits/sessions``, and in bytes by
  /// ``Limits/outcomeBytes``.
  private var records: [Identifier: ClientRecord] = [:]
  /// Clients whose session has ended, by their holders.
  ///
  /// Bounded by ``records``.
  private var idle: [ClientHolder: IdleClients] = [:]
  private var nextIdle: UInt64 = 1

  /// Clients of one holder whose session has ended.
  private struct IdleClients {
    /// In the order in which their sessions ended; some have reconnected since.
    ///
    /// Bounded by ``records``, and by as many entries of reconnected clients.
    var order: Deque<(client: Identifier, number: UInt64)> = []
    /// The number of clients that have not reconnected.
    var count = 0
  }

  /// The number of outcomes in all records.
  private var outcomeCount = 0
  /// The bytes of these outcomes in memory.
  private(set) var outcomeBytes = 0
  /// Old outcomes are dropped if there are more than this number, or more than these bytes.
  private var mostOutcomes: Int
  private var mostBytes: Int
  /// Sessions with something to send, in that order.
  ///
  /// Bounded by ``Limits/sessions``.
  private var unsent: [Session] = []
  /// Sessions whose outcomes only wait for a release.
  ///
  /// Bounded by ``Limits/sessions``.
  private var awaitingRelease: [Session] = []
  /// Ended sessions, by the connections that get a goodbye after outcomes that wait for the disk.
  ///
  /// Bounded by ``Limits/sessions``: each was an open session, and has at most as many outcomes as
  /// an open session may have. Its connection is closed after ``Timing/introduction``.
  private var leaving: [PeerID: Session] = [:]
  /// Called when there are outcomes to send, also between turns.
  var onUnsent: (@MainActor () -> Void)?

  init(
    _ root: any RootPort,
    _ access: Access,
    outbox: Outbox,
    counters: Counters,
    limits: Limits,
  ) {
    self.root = root
    self.outbox = outbox
    self.counters = counters
    self.limits = limits
    self.access = access
    mostOutcomes = limits.outcomes
    mostBytes = limits.outcomeBytes
  }

  // MARK: Clients

  /// Returns the actions of a client that sends a hello; a new client starts before its first one.
  ///
  /// - Parameters:
  ///   - hello: The hello.
  ///   - holder: The client's holder.
  /// - Returns: The outcomes of its earlier actions.
  func actions(of hello: ClientMessage.Hello, _ holder: ClientHolder) -> SessionActions {
    SessionActions(record: record(of: hello, holder))
  }

  /// Whether a client id may be used by a holder: no record of another holder has it.
  ///
  /// A record of an unknown holder belongs to any holder, including records from the journal of an
  /// earlier version.
  func mayBe(_ client: Identifier, _ holder: ClientHolder) -> Bool {
    guard let known = records[client]?.holder else { return true }
    return known == holder || known == .unknown
  }

  /// Whether the table has a record of a client of a holder.
  func knows(_ client: Identifier, _ holder: ClientHolder) -> Bool {
    holder != .unknown && records[client]?.holder == holder
  }

  /// Adapts a session's record to the hello that resumes it.
  func resume(_ session: Session, _ hello: ClientMessage.Hello) {
    let record = session.actions.record
    session.actions.record = self.record(of: hello, record.holder, known: record)
  }

  private func record(
    of hello: ClientMessage.Hello,
    _ holder: ClientHolder,
    known: ClientRecord? = nil,
  ) -> ClientRecord {
    let start = min(max(hello.firstSequence, 1), ActionSequence.greatestStart) - 1
    guard let record = known ?? records[hello.clientID] else {
      return ClientRecord(last: start, holder: holder, limit: limits.outcomesPerClient)
    }
    comeBack(record)
    record.holder = holder
    if record.isKept { leaveOut(record) }
    record.skip(to: start)
    if record.isKept { count(record) }
    return record
  }

  /// Ends a session, and cancels its effects.
  ///
  /// A client that sent a goodbye requests no outcome any more, and its record is dropped; other
  /// records are dropped in their turn. A client that the daemon sends a goodbye first gets the
  /// outcomes of its actions, which may have to wait for the disk.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - goodbye: The goodbye that follows its outcomes; nil if its client gets no further message.
  ///   - isCut: Whether the connection is about to be closed, so that outcomes cannot wait.
  ///   - isFarewell: Whether its client sent a goodbye.
  /// - Returns: Whether a kept record of its client was dropped.
  func end(
    _ session: Session,
    goodbye: Goodbye?,
    isCut: Bool = false,
    isFarewell: Bool,
  ) -> Bool {
    let actions = session.actions
    // A client that gets a goodbye treats all effects as ended.
    actions.finished.removeAll()
    actions.cancelAll()
    if let goodbye {
      leaving[session.peer] = session
      actions.goodbye = goodbye
      send(to: session, isLast: isCut)
    } else {
      actions.fallSilent()
    }
    guard actions.record.isKept else { return false }
    if isFarewell { forget(session.clientID) } else { leave(actions.record, session.clientID) }
    return isFarewell
  }

  /// Whether a connection gets a goodbye as soon as its session's outcomes are durable.
  func isLeaving(_ peer: PeerID) -> Bool { !leaving.isEmpty && leaving[peer] != nil }

  /// Drops the unsent messages of a connection's former session, because the connection has ended
  /// or sent another hello.
  func dismiss(_ peer: PeerID) {
    leaving.removeValue(forKey: peer)?.actions.fallSilent()
  }

  private func forget(_ client: Identifier) {
    guard let record = records.removeValue(forKey: client) else { return }
    leaveOut(record)
    comeBack(record)
  }

  /// Removes a client from the queue of records to be dropped.
  private func comeBack(_ record: ClientRecord) {
    guard record.idleSince != nil else { return }
    record.idleSince = nil
    idle[record.holder]?.count -= 1
    if idle[record.holder]?.count == 0 { idle[record.holder] = nil }
  }

  /// Adds a client that has left to the queue of records to be dropped.
  private func leave(_ record: ClientRecord, _ client: Identifier) {
    record.idleSince = nextIdle
    var clients = idle.removeValue(forKey: record.holder) ?? IdleClients()
    clients.order.append((client, nextIdle))
    clients.count += 1
    nextIdle += 1
    // Half of the clients have reconnected: the cost is amortized O(1) for each entry.
    if clients.order.count > 2 * clients.count + 64 { clients.order.removeAll { !isIdle($0) } }
    idle[record.holder] = clients
  }

  private func isIdle(_ entry: (client: Identifier, number: UInt64)) -> Bool {
    records[entry.client]?.idleSince == entry.number
  }

  /// Keeps a client's record, from its first outcome on: a client that sends no action takes no
  /// place from those whose retries must be recognised.
  private func keep(_ record: ClientRecord, of client: Identifier) {
    while records.count >= limits.clients, let oldest = takeOldest() { forget(oldest) }
    record.isKept = true
    records[client] = record
    count(record)
  }

  /// Adds a record's outcomes to the totals.
  private func count(_ record: ClientRecord) {
    outcomeCount += record.count
    outcomeBytes += record.bytes
  }

  /// Subtracts a record's outcomes from the totals, before they change or are dropped.
  private func leaveOut(_ record: ClientRecord) {
    outcomeCount -= record.count
    outcomeBytes -= record.bytes
  }

  /// Takes the client that left first, of the holder with the most such clients; nil if all clients
  /// are connected.
  ///
  /// So a holder that reconnects repeatedly with new ids displaces only its own clients. The
  /// owner's reserve does not count.
  private func takeOldest() -> Identifier? {
    let owner = access.grants.owner
    let counts = idle.map { holder, clients in
      (
        holder: holder,
        count: clients.count - (holder.isOwner(owner) ? limits.clientsOfOwner : 0),
        first: clients.order.first?.number ?? 0,
      )
    }
    // Among holders with equal counts, the one whose first client left earliest.
    let most = counts.max { one, other in (one.count, other.first) < (other.count, one.first) }
    guard let holder = most?.holder else { return nil }
    while let oldest = idle[holder]?.order.popFirst() {
      if isIdle(oldest) { return oldest.client }
    }
    return nil
  }

  /// Drops old outcomes if there are too many in total.
  ///
  /// It drops more than necessary, so that there is room for a while.
  private func makeRoom() {
    guard outcomeCount > mostOutcomes || outcomeBytes > mostBytes else { return }
    if outcomeCount > mostOutcomes { leaveFewer(than: limits.outcomes - limits.outcomes / 8) }
    if outcomeBytes > mostBytes { leaveLess(than: limits.outcomeBytes - limits.outcomeBytes / 8) }
    outcomeCount = records.values.reduce(0) { $0 + $1.count }
    outcomeBytes = records.values.reduce(0) { $0 + $1.bytes }
    // Outcomes that wait for the disk cannot be dropped; the raised limits avoid a search at each
    // call.
    mostOutcomes = max(limits.outcomes, outcomeCount + limits.outcomes / 8)
    mostBytes = max(limits.outcomeBytes, outcomeBytes + limits.outcomeBytes / 8)
  }

  private func leaveFewer(than most: Int) {
    let counts = records.values.map { ($0.holder, $0.count) }
    let reserve = OwnersReserve(amount: limits.outcomesOfOwner, owner: access.grants.owner)
    let each = KeptHistory.outcomesEach(of: counts, within: most, reserve: reserve)
    for record in records.values {
      record.keep(each[record.holder] ?? 0, releasedThrough: root.revision)
    }
  }

  private func leaveLess(than most: Int) {
    dropValues(within: most - limits.outcomeBytesOfOwner)
    let amounts = records.values.map {
      (holder: $0.holder, newest: $0.newestBytes, older: $0.bytes - $0.newestBytes)
    }
    let reserve = OwnersReserve(amount: limits.outcomeBytesOfOwner, owner: access.grants.owner)
    let each = KeptHistory.olderEach(of: amounts, within: most, reserve: reserve)
    for record in records.values {
      record.keep(olderBytes: each[record.holder] ?? 0, releasedThrough: root.revision)
    }
  }

  /// Drops the values of kept replies and refusals, of the holders with the most bytes first, while
  /// the newest outcomes alone exceed a limit.
  ///
  /// A client whose action is sent again then receives the outcome without the value.
  /// To drop the outcome instead would let the action run again.
  private func dropValues(within most: Int) {
    let newest = records.values.map {
      (holder: $0.holder, bytes: $0.newestBytes, bare: $0.newestBytesWithoutValue)
    }
    let holders = KeptHistory.holdersLosingValues(of: newest, within: most)
    for record in records.values where holders.contains(record.holder) { record.dropValues() }
  }

  // MARK: Restarts

  /// Restores the records from before a restart.
  func restore(_ clients: [KeptHistory.Client]) {
    for client in clients {
      let record = ClientRecord(
        last: client.last,
        outcomes: client.outcomes,
        holder: client.holder,
        limit: limits.outcomesPerClient,
      )
      keep(record, of: client.id)
      leave(record, client.id)
    }
    makeRoom()
  }

  /// Returns the records that a daemon needs when it starts again at a revision.
  func kept(through revision: UInt64) -> [KeptHistory.Client] {
    let sorted = records.sorted { $0.value.idleSince ?? .max < $1.value.idleSince ?? .max }
    return sorted.map { id, record in
      // A failure may have been decided by a state that a crash undoes.
      let last = record.last(through: revision)
      return KeptHistory.Client(
        id: id,
        last: last,
        outcomes: record.outcomes(through: last),
        holder: record.holder,
      )
    }
  }

  // MARK: Outcomes

  /// Records the outcome of a session's next action, and queues it for sending.
  func record(_ outcome: Outcome, of session: Session) {
    let record = session.actions.record
    if !record.isKept { keep(record, of: session.clientID) }
    leaveOut(record)
    record.record(outcome, at: root.newestRevision, releasedThrough: root.revision)
    count(record)
    makeRoom()
    answer(record.last, outcome, to: session)
  }

  /// Sends the recorded outcome of an action again.
  func repeatOutcome(of sequence: UInt64, to session: Session) {
    counters.duplicates += 1
    // Repeated requests for the same outcome are answered once, after its release.
    guard !session.actions.unsaid.contains(where: { $0.sequence == sequence }) else { return }
    answer(sequence, known(sequence, of: session), to: session)
  }

  /// Returns the recorded outcome of an action; it has effects only if they still run.
  private func known(_ sequence: UInt64, of session: Session) -> Outcome {
    guard let outcome = session.actions.record.outcome(of: sequence) else {
      let message = "The outcome of action \(sequence) is no longer kept."
      return .failed(Outcome.Failure(code: Outcome.forgotten, message: message))
    }
    // If the effects ended, perhaps with an earlier session, no `finished` will follow.
    return session.actions.isRunning(sequence) ? outcome : outcome.withoutEffects
  }

  /// Adds an outcome to those that the end of the turn sends.
  ///
  /// Every outcome waits until the newest revision is durable. Refusals wait too, since they judged
  /// that state. Only `overloaded` does not wait: the client needs it while there is no room.
  private func answer(_ sequence: UInt64, _ outcome: Outcome, to session: Session) {
    if case .failed(let failure) = outcome, failure.code == Outcome.overloaded {
      session.actions.refused.append(
        SessionActions.Answer(sequence: sequence, outcome: outcome, revision: 0)
      )
    } else {
      session.actions.unsaid.append(
        SessionActions.Answer(sequence: sequence, outcome: outcome, revision: root.newestRevision)
      )
    }
    note(session)
  }

  // MARK: Effects

  /// Observes the effects of a session's action, to notify its client when they have ended.
  func follow(_ task: StoreTask, of sequence: UInt64, of session: Session) {
    session.actions.run(task, of: sequence)
    task.whenFinished { [weak self, weak session] in
      guard let self, let session, session.actions.end(sequence) else { return }
      session.actions.finished.append((sequence, root.newestRevision))
      note(session)
    }
  }

  // MARK: Sending

  /// Whether a session has outcomes or finished effects to send.
  var hasUnsent: Bool { !unsent.isEmpty }

  private func note(_ session: Session) {
    guard !session.actions.isUnsent else { return }
    session.actions.isUnsent = true
    unsent.append(session)
    onUnsent?()
  }

  /// Queues the outcomes that waited for a release, because more revisions were released.
  func released() {
    for session in awaitingRelease {
      session.actions.awaitsRelease = false
      note(session)
    }
    awaitingRelease.removeAll(keepingCapacity: true)
  }

  /// Sends all sessions their released outcomes and finished effects; the changes of their
  /// revisions are already published.
  func sendAll() {
    guard !unsent.isEmpty else { return }
    for session in unsent {
      send(to: session)
      let actions = session.actions
      actions.isUnsent = false
      guard !actions.awaitsRelease, !actions.unsaid.isEmpty || !actions.finished.isEmpty else {
        continue
      }
      actions.awaitsRelease = true
      awaitingRelease.append(session)
    }
    unsent.removeAll(keepingCapacity: true)
  }

  /// Sends a session its released outcomes and finished effects.
  ///
  /// A goodbye follows after all outcomes, or if this is the last chance.
  private func send(to session: Session, isLast: Bool = false) {
    let actions = session.actions
    while let outcomes = takeAnswers(&actions.refused, of: session)
      ?? takeAnswers(&actions.unsaid, of: session)
    {
      let acks = DaemonMessage.Acks(
        first: outcomes.first,
        outcomes: outcomes.outcomes,
        watermark: session.watermark,
      )
      outbox.send(.acks(acks), to: session.peer)
    }
    let finished = actions.finished.prefix { $0.revision <= root.revision }.map(\.sequence)
    if !finished.isEmpty {
      outbox.send(.finished(finished, watermark: session.watermark), to: session.peer)
      actions.finished.removeFirst(finished.count)
    }
    guard let goodbye = actions.goodbye, actions.unsaid.isEmpty || isLast else { return }
    outbox.send(.goodbye(code: goodbye.code, message: goodbye.message), to: session.peer)
    dismiss(session.peer)
  }

  /// Takes the next outcomes of consecutive actions that may be sent, as many as a frame has room
  /// for; nil if the first one may not be sent yet.
  private func takeAnswers(
    _ answers: inout Deque<SessionActions.Answer>,
    of session: Session,
  ) -> (first: UInt64, outcomes: [Outcome])? {
    let released = root.revision
    guard let first = answers.first, first.revision <= released else { return nil }
    var outcomes: [Outcome] = []
    // Besides the outcomes a frame has a kind, a header and three numbers.
    var room = limits.frameBytes - 64
    for answer in answers {
      guard answer.revision <= released,
        answer.sequence == first.sequence + UInt64(outcomes.count)
      else { break }
      let outcome = outcome(of: answer, for: session)
      let bytes = outcome.mostEncodedBytes
      guard outcomes.isEmpty || bytes <= room else { break }
      room -= bytes
      outcomes.append(outcome)
    }
    answers.removeFirst(outcomes.count)
    return (first.sequence, outcomes)
  }

  /// Returns an outcome as the client receives it, with its value if that is still kept.
  private func outcome(of answer: SessionActions.Answer, for session: Session) -> Outcome {
    var outcome = answer.outcome
    if answer.hasValue, let kept = session.actions.record.outcome(of: answer.sequence) {
      outcome = outcome.withValue(of: kept)
    }
    guard case .replied = outcome, !session.features.contains(.replies) else { return outcome }
    return outcome.withoutReply
  }

  // MARK: Invariants

  func checkInvariants() {
    precondition(
      records.values.allSatisfy(\.isKept),
      "A client is remembered whose actions have no outcome",
    )
    let waiting = records.values.count { $0.idleSince != nil }
    let found = idle.values.reduce(0) { $0 + $1.order.count { isIdle($0) } }
    let counted = idle.values.reduce(0) { $0 + $1.count }
    precondition(
      found == waiting && counted == waiting,
      "\(waiting) clients have gone, \(found) of them are found, and \(counted) counted",
    )
    let count = records.values.reduce(0) { $0 + $1.count }
    precondition(
      outcomeCount == count && count <= mostOutcomes,
      "\(count) outcomes are kept of \(mostOutcomes), and \(outcomeCount) counted",
    )
    let bytes = records.values.reduce(0) { $0 + $1.bytes }
    precondition(
      outcomeBytes == bytes && bytes <= mostBytes,
      "Outcomes take \(bytes) bytes of \(mostBytes), and \(outcomeBytes) are counted",
    )
    precondition(
      leaving.values.allSatisfy { session in
        !session.isOpen && session.actions.goodbye != nil
          && (session.actions.isUnsent || session.actions.awaitsRelease)
      },
      "A session is over, and its client would never be notified",
    )
    precondition(
      unsent.allSatisfy { $0.actions.isUnsent }
        && awaitingRelease.allSatisfy { $0.actions.awaitsRelease },
      "A session with an unsent message is missing in the table",
    )
  }
}
