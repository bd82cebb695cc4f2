import DequeModule
import StoreActor
import StoreHistory
package import StoreProtocol

/// The outcomes of clients' actions: the records that make a retry harmless, and the outcomes that
/// are still to be sent.
@MainActor
package final class OutcomeTable {
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
    /// In the order in which their sessions ended; some have come back since.
    ///
    /// Bounded by ``records``, with as many that have come back.
    var order: Deque<(client: Identifier, number: UInt64)> = []
    /// How many have not.
    var count = 0
  }

  /// The outcomes of all records.
  private var outcomeCount = 0
  /// What they take of the memory.
  private(set) var outcomeBytes = 0
  /// Beyond so many of them, and so many bytes, old ones go.
  private var mostOutcomes: Int
  private var mostBytes: Int
  /// Sessions with something to send, in that order.
  ///
  /// Bounded by ``Limits/sessions``.
  private var unsent: [Session] = []
  /// Those of them that wait for a release only.
  ///
  /// Bounded by ``Limits/sessions``.
  private var awaitingRelease: [Session] = []
  /// Sessions that are over, by the connections that are told goodbye behind outcomes that wait for
  /// the disk.
  ///
  /// Bounded by ``Limits/sessions``: each was one, has no more outcomes than an open one, and its
  /// connection is closed after ``Timing/introduction``.
  private var leaving: [PeerID: Session] = [:]
  /// Called when there is something to send, also between turns.
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

  /// The actions of a client that says hello; one that is not known starts before its first.
  ///
  /// - Parameters:
  ///   - hello: What it says.
  ///   - holder: Who answers for it.
  /// - Returns: What became of its actions before.
  func actions(of hello: ClientMessage.Hello, _ holder: ClientHolder) -> SessionActions {
    SessionActions(record: record(of: hello, holder))
  }

  /// Whether what is remembered of a client is not another holder's.
  ///
  /// What nobody vouched for belongs to nobody, also what a journal of an earlier version has kept.
  func mayBe(_ client: Identifier, _ holder: ClientHolder) -> Bool {
    guard let known = records[client]?.holder else { return true }
    return known == holder || known == .unknown
  }

  /// Whether a client of a holder has sent something that is remembered.
  func knows(_ client: Identifier, _ holder: ClientHolder) -> Bool {
    holder != .unknown && records[client]?.holder == holder
  }

  /// A session is resumed by its client.
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

  /// A session is over: its effects are cancelled.
  ///
  /// Who said goodbye asks for no outcome any more, and is forgotten; others when their turn comes.
  /// A client that the daemon says goodbye to is told first what became of its actions, which may
  /// have to wait for the disk.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - goodbye: What its client is told behind its outcomes; nil where it is told nothing more.
  ///   - isCut: Whether the connection is about to be closed, so that nothing can wait.
  ///   - isFarewell: Whether its client said goodbye.
  /// - Returns: Whether its client is forgotten, of which something was kept.
  func end(
    _ session: Session,
    goodbye: Goodbye?,
    isCut: Bool = false,
    isFarewell: Bool,
  ) -> Bool {
    let actions = session.actions
    // The client takes all effects for ended when it is told goodbye.
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

  /// Whether a connection is told goodbye as soon as its session's outcomes are durable.
  package func isLeaving(_ peer: PeerID) -> Bool { !leaving.isEmpty && leaving[peer] != nil }

  /// A connection is over, or says hello again: it is told nothing more of its former session.
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

  /// A client with a record has left.
  private func leave(_ record: ClientRecord, _ client: Identifier) {
    record.idleSince = nextIdle
    var clients = idle.removeValue(forKey: record.holder) ?? IdleClients()
    clients.order.append((client, nextIdle))
    clients.count += 1
    nextIdle += 1
    // Half of them have come back: each is looked at once for each time that it came and went.
    if clients.order.count > 2 * clients.count + 64 { clients.order.removeAll { !isIdle($0) } }
    idle[record.holder] = clients
  }

  private func isIdle(_ entry: (client: Identifier, number: UInt64)) -> Bool {
    records[entry.client]?.idleSince == entry.number
  }

  /// Keeps a client's record, from its first outcome on: who sends nothing takes no place from
  /// those whose retries must be recognised.
  private func keep(_ record: ClientRecord, of client: Identifier) {
    while records.count >= limits.clients, let oldest = takeOldest() { forget(oldest) }
    record.isKept = true
    records[client] = record
    count(record)
  }

  /// Counts the outcomes of a record.
  private func count(_ record: ClientRecord) {
    outcomeCount += record.count
    outcomeBytes += record.bytes
  }

  /// Counts the outcomes of a record no more, because they are about to change or to go.
  private func leaveOut(_ record: ClientRecord) {
    outcomeCount -= record.count
    outcomeBytes -= record.bytes
  }

  /// Of the clients that have gone the first one of the holder that has most of them; nil for none.
  ///
  /// So whoever comes again and again under new names displaces himself, and nobody else. The
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
    // Of those who have as many, whose first one has gone before the others'.
    let most = counts.max { one, other in (one.count, other.first) < (other.count, one.first) }
    guard let holder = most?.holder else { return nil }
    while let oldest = idle[holder]?.order.popFirst() {
      if isIdle(oldest) { return oldest.client }
    }
    return nil
  }

  /// Drops old outcomes if there are too many in all.
  ///
  /// Some more go than have to, so that there is room for a while.
  private func makeRoom() {
    guard outcomeCount > mostOutcomes || outcomeBytes > mostBytes else { return }
    if outcomeCount > mostOutcomes { leaveFewer(than: limits.outcomes - limits.outcomes / 8) }
    if outcomeBytes > mostBytes { leaveLess(than: limits.outcomeBytes - limits.outcomeBytes / 8) }
    outcomeCount = records.values.reduce(0) { $0 + $1.count }
    outcomeBytes = records.values.reduce(0) { $0 + $1.bytes }
    // What waits for the disk cannot go, and is not looked at each time.
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
    let amounts = records.values.map {
      (holder: $0.holder, newest: $0.newestBytes, older: $0.bytes - $0.newestBytes)
    }
    let reserve = OwnersReserve(amount: limits.outcomeBytesOfOwner, owner: access.grants.owner)
    let each = KeptHistory.olderEach(of: amounts, within: most, reserve: reserve)
    for record in records.values {
      record.keep(olderBytes: each[record.holder] ?? 0, releasedThrough: root.revision)
    }
  }

  // MARK: Restarts

  /// Restores what was known before a restart.
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

  /// What has to be known when the daemon is started again at a revision.
  func kept(through revision: UInt64) -> [KeptHistory.Client] {
    let sorted = records.sorted { $0.value.idleSince ?? .max < $1.value.idleSince ?? .max }
    return sorted.map { id, record in
      // A refusal may have been judged by a state that a crash takes back.
      let isAhead = root.newestRevision > revision
      let last = record.last(through: revision, withRefusals: !isAhead)
      return KeptHistory.Client(
        id: id,
        last: last,
        outcomes: record.outcomes(through: last),
        holder: record.holder,
      )
    }
  }

  // MARK: Outcomes

  /// Records the outcome of a session's next action, which is to be sent.
  func record(_ outcome: Outcome, of session: Session) {
    let record = session.actions.record
    if !record.isKept { keep(record, of: session.clientID) }
    leaveOut(record)
    record.record(outcome)
    count(record)
    makeRoom()
    answer(record.last, outcome, to: session)
  }

  /// Sends the recorded outcome of an action again.
  func repeatOutcome(of sequence: UInt64, to session: Session) {
    counters.duplicates += 1
    // However often it is asked, it is said once when it may be.
    guard !session.actions.unsaid.contains(where: { $0.sequence == sequence }) else { return }
    answer(sequence, known(sequence, of: session), to: session)
  }

  /// What was said of an action before; its effects run on only where they still do.
  private func known(_ sequence: UInt64, of session: Session) -> Outcome {
    switch session.actions.record.outcome(of: sequence) {
    case .applied(let revision, hasEffects: true) where !session.actions.isRunning(sequence):
      // They ended, if only with an earlier session; no `finished` will follow.
      return .applied(revision: revision, hasEffects: false)
    case let outcome?: return outcome
    case nil:
      let message = "The outcome of action \(sequence) is no longer kept."
      return .failed(Outcome.Failure(code: Outcome.forgotten, message: message))
    }
  }

  /// Adds an outcome to those that the end of the turn sends.
  ///
  /// Every outcome waits until the newest revision is durable, refusals too, since they judged that
  /// state. Only `overloaded` does not wait: the client has to know of it while there is no room.
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

  /// The effects of a session's next action run: it is told when they have ended.
  func follow(_ task: StoreTask, of sequence: UInt64, of session: Session) {
    session.actions.run(task, of: sequence)
    task.whenFinished { [weak self, weak session] in
      guard let self, let session, session.actions.end(sequence) else { return }
      session.actions.finished.append((sequence, root.newestRevision))
      note(session)
    }
  }

  // MARK: Sending

  /// Whether a session is to be told something.
  var hasUnsent: Bool { !unsent.isEmpty }

  private func note(_ session: Session) {
    guard !session.actions.isUnsent else { return }
    session.actions.isUnsent = true
    unsent.append(session)
    onUnsent?()
  }

  /// More revisions were released: outcomes that waited for them may be sent.
  func released() {
    for session in awaitingRelease {
      session.actions.awaitsRelease = false
      note(session)
    }
    awaitingRelease.removeAll(keepingCapacity: true)
  }

  /// Sends outcomes and finished effects to all, as far as these may be told; what was published of
  /// their revisions has been.
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

  /// Sends a session what may be told, and goodbye behind all of it, or if it is the last chance.
  private func send(to session: Session, isLast: Bool = false) {
    let actions = session.actions
    while let outcomes = takeAnswers(&actions.refused) ?? takeAnswers(&actions.unsaid) {
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

  /// The next outcomes of consecutive actions that may be sent, as many as a frame has room for;
  /// nil if there are none.
  private func takeAnswers(
    _ answers: inout Deque<SessionActions.Answer>
  ) -> (first: UInt64, outcomes: [Outcome])? {
    let released = root.revision
    guard let first = answers.first, first.revision <= released else { return nil }
    var count = 0
    // Besides the outcomes a frame has a kind, a header and three numbers.
    var room = limits.frameBytes - 64
    for answer in answers {
      let bytes = answer.outcome.mostEncodedBytes
      guard answer.revision <= released, answer.sequence == first.sequence + UInt64(count),
        count == 0 || bytes <= room
      else { break }
      room -= bytes
      count += 1
    }
    let outcomes = answers.prefix(count).map(\.outcome)
    answers.removeFirst(count)
    return (first.sequence, outcomes)
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
      "A session is over, and its client would never be told",
    )
    precondition(
      unsent.allSatisfy { $0.actions.isUnsent }
        && awaitingRelease.allSatisfy { $0.actions.awaitsRelease },
      "A session is to be told something and does not know",
    )
  }
}
