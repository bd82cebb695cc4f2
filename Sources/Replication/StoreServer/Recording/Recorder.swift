import DequeModule
package import StoreActor
import StoreExposures
package import StoreHistory
package import StoreProtocol
import StoreState

/// What was reduced and is not durable yet: the station between the reducer and everybody else.
///
/// Each revision adds a record. While one batch of records is made durable, on another thread, the
/// next one grows. What is durable is **released**: only then clients, and effects, learn of it.
@MainActor
package final class Recorder {
  /// How much may wait.
  private let limits: Limits
  private let timing: Timing
  /// Everything up to this revision was released.
  @exclusivity(unchecked) private(set) var released: UInt64
  /// What caused the revision that is about to come.
  @exclusivity(unchecked) private var cause = RecordCause.daemon
  /// The origin of a client's action that is about to be reduced.
  @exclusivity(unchecked) private var clientOrigin = CBOREncoder.durable
  /// What will cause the one behind it; nil where that is not known.
  @exclusivity(unchecked) private var nextCause: RecordCause?
  /// When it comes.
  var wallMilliseconds: UInt64 = 0
  /// What is known besides of the revision that is about to come, and no record says yet: what its
  /// reducer has read, effects with names that began or ended, clients who said goodbye.
  @exclusivity(unchecked) var details = JournalRecord.Details()
  /// Measures how long reducers take; nil where nobody does.
  @exclusivity(unchecked) package var nanoseconds: (() -> Int64)?
  @exclusivity(unchecked) private var beganAt: Int64?
  /// Is told when effects have begun or ended, which a record has to say.
  var onEffects: (() -> Void)?
  /// No session has a number beyond this one, as far as the journal was told.
  ///
  /// It is further than sessions are, since most of them leave no record: the numbers of those that
  /// come are kept before they are given.
  private var sessionNumbers: UInt64
  /// Numbers of effects begin behind this one, which those of the journal do not exceed.
  private let effectNumbers: UInt64

  @exclusivity(unchecked) private var growing = CBOREncoder.durable
  private var growingFrom: UInt64
  /// The revision that was recorded last.
  @exclusivity(unchecked) private(set) var newest: UInt64
  private var startedThrough: UInt64 = 0
  @exclusivity(unchecked) private var batch = Batch.none
  /// What waits, by holder.
  @exclusivity(unchecked) package private(set) var room: JournalRoom
  /// The holder of an identity.
  var holder: (ActionOrigin.Identity) -> Holder = { _ in .unknown }
  /// Who began the step that was charged last, and the holder.
  @exclusivity(unchecked) private var lastPayer: (origin: ActionOrigin, holder: Holder)?
  /// Since when clients wait for what a daemon does first; nil while they do not.
  private var waitingSince: Instant?
  /// Whether they have waited for as long as they are made to.
  private var isWaitOver = false
  /// Why nothing can be kept for now; nil while it can.
  @exclusivity(unchecked) private(set) var obstacle: String?

  /// The listed sessions and the effects that there were at the newest released revision.
  private var history: KeptHistory
  /// What came or went since.
  private var events:
    Deque<(revision: UInt64, origin: JournalRecord.Origin, details: JournalRecord.Details)> = []
  /// Bytes of records since the last snapshot, and of the last snapshot.
  private var bytesSinceSnapshot: Int
  private var isStoring = false
  /// The only revision that has a snapshot; nil where there are two, or no second one is wanted.
  private var loneSnapshot: UInt64?

  private enum Batch {
    case none
    /// On its way to the disk.
    case underWay(JournalBatch)
    /// It could not be kept; it is tried again then.
    case waiting(JournalBatch, until: Instant)
    /// Nothing can be kept any more, and why.
    case failed(String)
  }

  /// Nothing waits yet.
  ///
  /// - Parameters:
  ///   - revision: The newest revision, which is durable.
  ///   - history: What is known besides.
  ///   - bytes: The bytes of records since the last snapshot.
  ///   - limits: How much may wait.
  ///   - timing: How long is waited when there is no room.
  package init(
    revision: UInt64,
    history: KeptHistory = KeptHistory(),
    bytes: Int = 0,
    limits: Limits = Limits(),
    timing: Timing = Timing(),
  ) {
    released = revision
    newest = revision
    growingFrom = revision + 1
    sessionNumbers = history.sessionNumbers(with: limits)
    effectNumbers = min(history.effects.keys.max() ?? 0, KeptHistory.greatestNumber)
    self.history = history
    self.history.clients = []
    bytesSinceSnapshot = bytes
    self.limits = limits
    self.timing = timing
    room = JournalRoom(limits, timing)
  }

  // MARK: Revisions

  /// Adds a revision.
  ///
  /// - Parameters:
  ///   - revision: Its number, which follows the last one's.
  ///   - origin: Who began the lineage that it belongs to; nil for the daemon.
  ///   - delta: Writes what it changed; false when that is nothing.
  /// - Returns: The bytes of what it changed.
  func record(
    _ revision: UInt64,
    of origin: ActionOrigin? = nil,
    delta: (inout CBOREncoder) -> Bool,
  ) -> Int {
    let start = growing.count
    defer { room.add(growing.count - start, of: payer(origin)) }
    precondition(revision == newest + 1, "Revision \(revision) was recorded behind \(newest)")
    newest = revision
    let cause = cause
    self.cause = nextCause ?? .daemon
    nextCause = nil
    // They are taken, for to copy them takes longer.
    var details = JournalRecord.Details()
    swap(&details, &self.details)
    if let beganAt, let nanoseconds {
      details.microseconds = UInt64(clamping: (nanoseconds() - beganAt) / 1_000)
    }
    beganAt = nil
    note(details, of: cause, at: revision)
    return JournalRecord.encode(
      revision: revision,
      wallMilliseconds: wallMilliseconds,
      details: details,
      to: &growing,
      origin: { encoder in
        switch cause {
        case .client: encoder.append(clientOrigin)
        case .daemon: encoder.encodeNull()
        case .other(let origin): origin.encode(to: &encoder)
        }
      },
      delta: delta,
    )
  }

  /// The holder of whoever began something; nil for the daemon.
  private func payer(_ origin: ActionOrigin?) -> Holder? {
    guard let origin else { return nil }
    if case .process = origin.identity { return nil }
    // Most steps are begun by the one who began the step before.
    if let lastPayer, lastPayer.origin == origin { return lastPayer.holder }
    let holder = holder(origin.identity)
    lastPayer = (origin, holder)
    return holder
  }

  /// Takes note of what a snapshot has to say, once it is released.
  private func note(
    _ details: JournalRecord.Details,
    of cause: RecordCause,
    at revision: UInt64,
  ) {
    if case .other(let origin) = cause, origin.changesHistory {
      events.append((revision, origin, details))
    } else if !details.began.isEmpty || !details.ended.isEmpty {
      events.append((revision, .daemon, details))
    }
  }

  /// A client's action is about to be reduced.
  func beginAction(
    of session: RecordedSession,
    _ sequence: UInt64,
    to scope: String,
    _ action: ArraySlice<UInt8>,
  ) {
    clientOrigin.truncate(to: .start)
    session.encode(action, sequence, to: scope, &clientOrigin)
    cause = .client
  }

  /// What a client's action was to cause has come, or does not come.
  func endAction() { cause = .daemon }

  /// The reducer is about to be told of something that happened.
  func begin(_ origin: JournalRecord.Origin) { cause = .other(origin) }

  /// A revision is about to be reduced.
  ///
  /// - Parameter action: Says what, where no client and no session caused it.
  func begin(_ action: () -> JournalRecord.InternalAction) {
    if case .daemon = cause { cause = .other(.internal(action())) }
    beganAt = nanoseconds?()
  }

  /// A revision is about to come that others made by changing shared values; what was to cause one
  /// will cause the next.
  func beginShared() {
    (nextCause, cause) = (cause, .daemon)
    beganAt = nil
  }

  /// What was about to be reduced is for something that is absent: there is no revision.
  func abandon() { beganAt = nil }

  /// A client said goodbye: what became of its actions is of no use any more.
  ///
  /// The next record says it, whatever that is of: until then a restart brings back what somebody
  /// else might want to know, and nobody asks for.
  func forgot(_ client: Identifier) { details.forgotten.append(client) }

  /// Whether a record is to be made that says what happened without one: effects have begun or
  /// ended, or many clients said goodbye.
  var needsRecord: Bool {
    !details.began.isEmpty || !details.ended.isEmpty
      || details.forgotten.count >= limits.unrecordedFarewells
  }

  /// Whether a record is to be made that says how far sessions' numbers may go.
  ///
  /// - Parameter last: The greatest number that a session has had.
  /// - Returns: False also while one is on its way.
  func needsSessionNumbers(behind last: UInt64) -> Bool {
    newest < growingFrom && sessionNumbers < last + limits.reservedSessions / 2
  }

  /// Whether the last record before the daemon's end is to be made, which says who said goodbye.
  func needsLastRecord(_ now: Instant) -> Bool {
    !details.forgotten.isEmpty && refusal(now, of: nil) == nil
  }

  /// A session event that was told to the reducer made no revision: nothing else notes it.
  func noteUnrecordedOrigin() {
    note(JournalRecord.Details(), of: cause, at: newest)
    cause = .daemon
    noteEvents()
  }

  /// Whether some revision was not released yet.
  var hasUnreleased: Bool { released < newest }

  /// All that the daemon does by itself when it starts has been recorded; nobody is answered before
  /// it is released, unless the disk does nothing.
  func started() { startedThrough = newest }

  private var isStarting: Bool { released < startedThrough }

  /// Whether to stop reading control frames because the daemon starts and the journal still writes.
  ///
  /// False while a failed batch waits: see ``refusal(_:of:)``. Nobody waits for longer than
  /// ``waitEnd``.
  func needsBackpressure(_ now: Instant) -> Bool {
    isStarting && isWriting && waitEnd.map { now < $0 } ?? true
  }

  /// Whether the disk works, as far as is known.
  private var isWriting: Bool {
    switch batch {
    case .none, .underWay: true
    case .waiting, .failed: false
    }
  }

  /// The holders whose frames wait: they have their share of what waits for the disk.
  func waitingHolders(_ now: Instant) -> Set<Holder> { isWriting ? room.waiting(at: now) : [] }

  /// When clients are heard that wait for the start, whatever the disk does; nil where none waits.
  private var waitEnd: Instant? { waitingSince?.advanced(by: timing.stall) }

  /// Why a change cannot be taken, because the disk does nothing; nil while it can.
  ///
  /// - Parameters:
  ///   - now: The moment.
  ///   - holder: Whose change it is; nil for the daemon.
  /// - Returns: The reason; nil for none.
  func refusal(_ now: Instant, of holder: Holder?) -> Outcome.Failure? {
    let reason: String
    if let obstacle {
      let sentence = obstacle.hasSuffix(".") ? obstacle : "\(obstacle)."
      reason = "The daemon cannot keep what the action would change: \(sentence)"
    } else if room.hasItsShare(holder),
      !isWriting || holder.map({ !room.isWaiting($0, at: now) }) ?? true
    {
      reason =
        "The daemon's disk is too slow for what you send: \(room.revisions(of: holder)) of your "
        + "changes wait."
    } else {
      return nil
    }
    return Outcome.Failure(code: Outcome.overloaded, message: "\(reason) Try again later.")
  }

  /// Gives up when more waits than memory should hold.
  ///
  /// Actions were refused long before, so what came since are steps of the daemon's own effects,
  /// which nobody can refuse.
  ///
  /// - Returns: Why nothing can be kept any more; nil as long as it can.
  func giveUpIfExhausted() -> String? {
    guard
      newest - released >= limits.mostUnreleasedRevisions
        || growing.count >= limits.mostUnreleasedBytes
    else { return nil }
    if case .failed = batch { return nil }
    let reason =
      "\(newest - released) changes wait for the disk, most of them made by effects"
      + "\(obstacle.map { ": \($0)" } ?? "")."
    batch = .failed(reason)
    return reason
  }

  /// The holders, without the owner's, whose effects make so much that they have to end, so that
  /// they do not end the daemon: half of the memory is a reserve of the owner and the daemon.
  var exhausting: [Holder] {
    guard
      newest - released >= limits.mostUnreleasedRevisions / 4
        || growing.count >= limits.mostUnreleasedBytes / 4
    else { return [] }
    return room.exhausting(
      revisions: limits.mostUnreleasedRevisions / 2,
      bytes: limits.mostUnreleasedBytes / 2,
    )
  }

  // MARK: Batches

  /// The most bytes of a batch whose memory is kept for the next one.
  private static let keptBytes = 256 << 10

  /// When the batch that could not be kept is tried again, or the disk counts as stalled.
  var nextDeadline: Instant {
    switch batch {
    case .waiting(_, let instant): instant
    case .none, .underWay:
      min(room.nextDeadline, isWaitOver ? .distantFuture : waitEnd ?? .distantFuture)
    case .failed: .distantFuture
    }
  }

  /// Notes at the end of a turn since when clients wait, and whether they have waited enough: then
  /// nothing changes until the disk has done something.
  func noteWait(_ now: Instant) {
    room.noteWait(now)
    guard isStarting else { return endWait() }
    if waitingSince == nil { waitingSince = now }
    isWaitOver = waitEnd.map { $0 <= now } ?? false
  }

  private func endWait() {
    waitingSince = nil
    isWaitOver = false
  }

  /// Whether a batch can be made durable now.
  var hasBatch: Bool {
    if case .none = batch { newest >= growingFrom } else { false }
  }

  /// Hands over the batch that is to be made durable now.
  ///
  /// - Parameters:
  ///   - now: The moment.
  ///   - lastSession: The greatest number that a session has had.
  /// - Returns: The batch; nil when there is none, or one is under way.
  func nextBatch(_ now: Instant, lastSession: UInt64 = 0) -> JournalBatch? {
    switch batch {
    case .waiting(let batch, let instant) where instant <= now:
      self.batch = .underWay(batch)
      return batch
    case .none where newest >= growingFrom:
      sessionNumbers = max(sessionNumbers, lastSession + limits.reservedSessions)
      let batch = JournalBatch(
        revisions: growingFrom...newest,
        records: growing.bytes,
        sessionNumbers: sessionNumbers,
      )
      // What a burst took is given back.
      if growing.count > Self.keptBytes { growing = .durable } else { growing.truncate(to: .start) }
      growingFrom = newest + 1
      room.beginBatch()
      self.batch = .underWay(batch)
      return batch
    case .none, .underWay, .waiting, .failed: return nil
    }
  }

  /// Takes what became of something that the journal was asked for.
  ///
  /// - Returns: Why nothing can be kept any more; nil as long as it can.
  func finish(_ result: JournalResult, now: Instant) -> String? {
    switch result {
    case .durable(let revision): release(through: revision)
    case .retryLater(let reason):
      guard let batch = takeBatch(result) else { break }
      if obstacle == nil {
        problems.append("Nothing can be kept for now, and clients' actions are refused: \(reason)")
      }
      obstacle = reason
      self.batch = .waiting(batch, until: now.advanced(by: timing.retry))
    case .failed(let reason), .fenced(let reason):
      if case .failed = batch { break }
      batch = .failed(reason)
      return reason
    case .snapshot(let reason):
      isStoring = false
      if reason == nil {
        loneSnapshot = nil
      } else if loneSnapshot != nil {
        loneSnapshot = released
      }
      // The next one is tried as late as if this one had been kept.
      if let reason { problems.append("A snapshot was not kept: \(reason)") }
    // It says nothing of what was recorded.
    case .renewed: break
    case .unrenewed(let reason): problems.append("Clients are not answered for now: \(reason)")
    case .untrimmed(let reason): problems.append("Old history is still there: \(reason)")
    }
    return nil
  }

  private func release(through revision: UInt64) {
    guard let batch = takeBatch(.durable(through: revision)) else { return }
    precondition(
      revision == batch.revisions.upperBound,
      "Revision \(revision) is durable, after the batch of \(batch.revisions)",
    )
    released = revision
    room.endBatch()
    if !isStarting { endWait() }
    if obstacle != nil { problems.append("What waited is kept, and actions are taken again.") }
    obstacle = nil
    bytesSinceSnapshot += batch.records.count
    noteEvents()
  }

  /// The batch that was under way and is so no more; nil after a failure, when what had been handed
  /// over before comes to nothing.
  private func takeBatch(_ result: JournalResult) -> JournalBatch? {
    switch batch {
    case .underWay(let batch):
      self.batch = .none
      return batch
    case .failed: return nil
    case .none, .waiting:
      preconditionFailure("There is no batch of which this could be the result: \(result)")
    }
  }

  private func noteEvents() {
    while let (revision, origin, details) = events.first, revision <= released {
      events.removeFirst()
      history.note(details, of: origin)
    }
  }

  // MARK: Snapshots

  /// Bounded by ``Batch``: one batch and one snapshot are on their way, and each turn takes these.
  private var problems: [String] = []

  /// What went wrong, and what is well again, said once.
  func takeProblems() -> [String] {
    defer { problems = [] }
    return problems
  }

  /// Whether so much was recorded since the last snapshot that the next one is due.
  var needsSnapshot: Bool {
    guard !isStoring else { return false }
    return bytesSinceSnapshot >= limits.recordBytesPerSnapshot
      || loneSnapshot.map { released - $0 >= limits.recordsBeforeSecondSnapshot } ?? false
  }

  /// Notes that one revision alone has a snapshot, and a second one is to be kept early: it is all
  /// that a history has where the first one is damaged.
  package func wantsSecondSnapshot(behind revision: UInt64) { loneSnapshot = revision }

  /// Whether a second snapshot is to be kept when the daemon ends.
  var needsLastSnapshot: Bool {
    !isStoring && loneSnapshot.map { released > $0 } ?? false
  }

  /// The snapshot that is to be kept now.
  ///
  /// - Parameters:
  ///   - version: The root at the newest released revision.
  ///   - clients: What became of actions up to that revision.
  ///   - encode: Writes a root in its durable form.
  /// - Returns: The snapshot.
  func snapshot(
    of version: RootVersion,
    clients: [KeptHistory.Client],
    encode: @escaping @Sendable (ErasedScope.Place, inout CBOREncoder) -> Void,
  ) -> JournalSnapshot {
    isStoring = true
    bytesSinceSnapshot = 0
    var history = history
    history.clients = clients
    history.sessionNumbers = sessionNumbers
    return JournalSnapshot(revision: version.revision) { [history] in
      version.read { place in
        SnapshotBytes.encode(revision: version.revision, history) { encode(place, &$0) }
      }
    }
  }

  func checkInvariants() {
    precondition(
      released <= newest && growingFrom <= newest + 1,
      "Released \(released), growing from \(growingFrom), newest \(newest)",
    )
  }
}

extension Recorder: EffectLog {
  package func began(_ number: UInt64, _ effect: InterruptedEffect) {
    details.began.append(
      JournalRecord.RunningEffect(number: effectNumbers + number, effect: effect)
    )
  }

  package func ended(_ number: UInt64) {
    details.ended.append(effectNumbers + number)
    onEffects?()
  }
}
