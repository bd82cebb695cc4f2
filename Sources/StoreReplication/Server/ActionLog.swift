import DequeModule
import StoreActor

/// What the daemon remembers of one client id: its last action sequence and the recent outcomes.
@MainActor
final class ClientRecord {
  private(set) var last: UInt64
  /// The outcomes of the newest sequences, ending with `last`, from `head` on.
  private var outcomes: [Outcome] = []
  private var head = 0
  private let limit: Int
  /// Whether the log keeps it when its client goes: from its first action on.
  fileprivate(set) var isKept = false
  /// The number under which it waits to be forgotten; nil while its client is connected.
  fileprivate var idleSince: UInt64?

  fileprivate init(last: UInt64, limit: Int) {
    self.last = last
    self.limit = limit
  }

  /// A client that will send nothing up to a sequence any more goes on from there.
  ///
  /// What lies between has outcomes, and asking for it would never end.
  fileprivate func skip(to last: UInt64) {
    guard self.last < last else { return }
    self.last = last
    outcomes.removeAll()
    head = 0
  }

  /// Notes the outcome of the sequence after the last.
  fileprivate func record(_ outcome: Outcome) {
    last += 1
    if outcomes.count < limit {
      outcomes.append(outcome)
    } else {
      outcomes[head] = outcome
      head = head + 1 == limit ? 0 : head + 1
    }
  }

  /// The recorded outcome of a sequence up to `last`; nil when it is no longer kept.
  fileprivate func outcome(of sequence: UInt64) -> Outcome? {
    guard sequence <= last, last - sequence < UInt64(outcomes.count) else { return nil }
    let age = Int(last - sequence)
    return outcomes[(head + outcomes.count - 1 - age) % outcomes.count]
  }
}

/// A session's actions: what became of them, and what is still to be said of that.
@MainActor
final class SessionActions {
  fileprivate var record: ClientRecord
  /// Outcomes of consecutive actions that were not sent yet.
  fileprivate var outcomes: [Outcome] = []
  fileprivate var firstOutcome: UInt64 = 0
  /// Actions whose effects have ended, which was not said yet.
  fileprivate var finished: [UInt64] = []
  fileprivate var isUnsent = false
  /// Actions whose effects run.
  private var tasks: [UInt64: StoreTask] = [:]

  fileprivate init(record: ClientRecord) { self.record = record }

  /// The sequence of the last action that has an outcome.
  var last: UInt64 { record.last }

  /// The actions whose effects run, in their order.
  var running: [UInt64] { tasks.keys.sorted() }

  var runningCount: Int { tasks.count }

  fileprivate func run(_ task: StoreTask, of sequence: UInt64) { tasks[sequence] = task }

  /// - Returns: Whether its effects ran until now.
  fileprivate func end(_ sequence: UInt64) -> Bool { tasks.removeValue(forKey: sequence) != nil }

  fileprivate func isRunning(_ sequence: UInt64) -> Bool { tasks[sequence] != nil }

  /// Cancels the effects of an action; it has ended when they have.
  func cancel(_ sequence: UInt64) { tasks[sequence]?.cancel() }

  /// Cancels all effects, of whose end nobody is told.
  func cancelAll() {
    // Emptied first: an effect that ends at once has nobody to be reported to any more.
    let tasks = tasks
    self.tasks.removeAll()
    for task in tasks.values { task.cancel() }
  }
}

/// What became of clients' actions: the records that make a retry harmless, and what sessions are
/// still to be told.
@MainActor
final class ActionLog {
  /// The greatest sequence that a client may start before: a stranger's number must not overflow.
  static let greatestStart: UInt64 = 1 << 62

  private let outbox: Outbox
  private let counters: Counters
  private let limits: Limits
  /// Of all clients of which an action has an outcome.
  private var records: [Identifier: ClientRecord] = [:]
  /// Those whose session is over, in the order in which they ended; some have come back since.
  ///
  /// Who said goodbye asks for no outcome any more, and is forgotten before those who were cut off.
  private var idle: (farewell: Idle, cutOff: Idle) = ([], [])
  private typealias Idle = Deque<(client: Identifier, number: UInt64)>
  private var nextIdle: UInt64 = 1
  /// The sessions that are to be told something, in the order in which that came up.
  private var unsent: [Session] = []
  /// Is told when something is to be sent, also between two turns.
  var onUnsent: (@MainActor () -> Void)?

  init(outbox: Outbox, counters: Counters, limits: Limits) {
    self.outbox = outbox
    self.counters = counters
    self.limits = limits
  }

  // MARK: Clients

  /// The actions of a client that says hello; one that is not known starts before its first.
  func actions(of hello: ClientMessage.Hello) -> SessionActions {
    SessionActions(record: record(of: hello))
  }

  /// A session's client says hello again.
  func resume(_ session: Session, _ hello: ClientMessage.Hello) {
    session.actions.record = record(of: hello, known: session.actions.record)
  }

  private func record(
    of hello: ClientMessage.Hello,
    known: ClientRecord? = nil,
  ) -> ClientRecord {
    let start = min(max(hello.firstSequence, 1), Self.greatestStart) - 1
    guard let record = known ?? records[hello.clientID] else {
      return ClientRecord(last: start, limit: limits.outcomesPerClient)
    }
    record.skip(to: start)
    record.idleSince = nil
    return record
  }

  /// A session is over: its effects are cancelled, and its client is forgotten when its turn comes.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - isFarewell: Whether its client said goodbye.
  func end(_ session: Session, isFarewell: Bool) {
    let actions = session.actions
    actions.outcomes.removeAll()
    actions.finished.removeAll()
    actions.cancelAll()
    guard actions.record.isKept else { return }
    actions.record.idleSince = nextIdle
    if isFarewell {
      note(session.clientID, in: &idle.farewell)
    } else {
      note(session.clientID, in: &idle.cutOff)
    }
  }

  private func note(_ client: Identifier, in idle: inout Idle) {
    idle.append((client, nextIdle))
    nextIdle += 1
    // Half of them have come back: each is looked at once for each time that it came and went.
    if idle.count > 2 * limits.clients { idle.removeAll { !isIdle($0) } }
  }

  private func isIdle(_ entry: (client: Identifier, number: UInt64)) -> Bool {
    records[entry.client]?.idleSince == entry.number
  }

  /// Keeps a client's record, from its first outcome on: who sends nothing takes no place from
  /// those whose retries must be recognised.
  private func keep(_ record: ClientRecord, of client: Identifier) {
    while records.count >= limits.clients,
      let oldest = idle.farewell.popFirst() ?? idle.cutOff.popFirst()
    {
      if isIdle(oldest) { records[oldest.client] = nil }
    }
    record.isKept = true
    records[client] = record
  }

  // MARK: Outcomes

  /// Notes the outcome of a session's next action, and that it is to be sent.
  func record(_ outcome: Outcome, of session: Session, flush: () -> Void) {
    let record = session.actions.record
    if !record.isKept { keep(record, of: session.clientID) }
    record.record(outcome)
    answer(record.last, outcome, to: session, flush: flush)
  }

  /// Sends again what was said of an action before.
  func repeatOutcome(of sequence: UInt64, to session: Session, flush: () -> Void) {
    counters.duplicates += 1
    answer(sequence, known(sequence, of: session), to: session, flush: flush)
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
  private func answer(
    _ sequence: UInt64,
    _ outcome: Outcome,
    to session: Session,
    flush: () -> Void,
  ) {
    let actions = session.actions
    if !actions.outcomes.isEmpty,
      actions.firstOutcome + UInt64(actions.outcomes.count) != sequence
    {
      flush()
      send(to: session)
    }
    if actions.outcomes.isEmpty { actions.firstOutcome = sequence }
    actions.outcomes.append(outcome)
    note(session)
  }

  // MARK: Effects

  /// The effects of a session's next action run: it is told when they have ended.
  func follow(_ task: StoreTask, of sequence: UInt64, of session: Session) {
    session.actions.run(task, of: sequence)
    task.whenFinished { [weak self, weak session] in
      guard let self, let session, session.actions.end(sequence) else { return }
      session.actions.finished.append(sequence)
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

  /// Sends outcomes and finished effects to all; the turn's deltas have been published.
  func sendAll() {
    guard !unsent.isEmpty else { return }
    for session in unsent {
      session.actions.isUnsent = false
      send(to: session)
    }
    unsent.removeAll(keepingCapacity: true)
  }

  private func send(to session: Session) {
    let actions = session.actions
    if !actions.outcomes.isEmpty {
      let acks = DaemonMessage.Acks(
        first: actions.firstOutcome,
        outcomes: actions.outcomes,
        reach: session.watermark,
      )
      outbox.send(.acks(acks), to: session.peer)
      actions.outcomes.removeAll(keepingCapacity: true)
    }
    if !actions.finished.isEmpty {
      outbox.send(.finished(actions.finished, reach: session.watermark), to: session.peer)
      actions.finished.removeAll()
    }
  }

  // MARK: Invariants

  func checkInvariants() {
    precondition(
      records.values.allSatisfy(\.isKept),
      "A client is remembered whose actions have no outcome",
    )
    let waiting = records.values.count { $0.idleSince != nil }
    let found = (idle.farewell + idle.cutOff).count { isIdle($0) }
    precondition(found == waiting, "\(waiting) clients have gone, \(found) of them are found")
    precondition(
      unsent.allSatisfy { $0.actions.isUnsent },
      "A session is to be told something and does not know",
    )
  }
}
