import DequeModule
package import StoreActor
import StoreExposures
package import StoreHistory
package import StoreProtocol
import StoreState

/// Holds the revisions that are reduced and not yet durable.
///
/// Each revision adds a record. While another thread makes one batch of records durable, the next
/// batch grows. A durable revision is **released**: only then are clients notified of it, and its
/// effects start.
@MainActor
package final class Recorder {
  /// The limits of unreleased revisions, of records and of reserves.
  private let limits: Limits
  private let timing: Timing
  /// All revisions up to this one are released.
  @exclusivity(unchecked) private(set) var released: UInt64
  /// The cause of the next revision.
  @exclusivity(unchecked) private var cause = RecordCause.daemon
  /// The encoded origin of the client's action that is reduced next.
  @exclusivity(unchecked) private var clientOrigin = CBOREncoder.durable
  /// The session of that action, if this is the first one of its session that may be recorded.
  @exclusivity(unchecked) private var unnamedSession: RecordedSession?
  /// The cause of the revision after the next one; nil if it is unknown.
  @exclusivity(unchecked) private var nextCause: RecordCause?
  /// The wall-clock time of the next revision, in milliseconds.
  var wallMilliseconds: UInt64 = 0
  /// Returns that time for actions of effects, which are reduced outside of turns; nil if they have
  /// the time of the last turn.
  @exclusivity(unchecked) var wallNow: (() -> UInt64?)?
  /// The details of the next revision that no record contains yet: the inputs that its reducer has
  /// read, named effects that began or ended, clients that sent a goodbye.
  @exclusivity(unchecked) var details = JournalRecord.Details()
  /// Returns the time in nanoseconds, for the duration of reducers; nil if it is not measured.
  @exclusivity(unchecked) package var nanoseconds: (() -> Int64)?
  @exclusivity(unchecked) private var beganAt: Int64?
  /// The holders' shares of the refused actions in the batch that grows, and in ``details``.
  private var refusalShares = (count: Shares(), bytes: Shares())
  /// Called when an effect has ended, which requires a record.
  var onEffects: (() -> Void)?
  /// The greatest session number that the journal has reserved.
  ///
  /// Numbers are reserved before sessions receive them, since most sessions leave no record.
  private var sessionNumbers: UInt64
  /// The greatest number of an effect or a schedule in the journal; new ones have numbers after it.
  private let effectNumbers: UInt64
  /// The firing whose action is reduced next; nil if there is none.
  @exclusivity(unchecked) private var pendingFiring: PendingFiring?

  private struct PendingFiring {
    let firing: JournalRecord.Firing
    let timer: DurableTimer
  }

  @exclusivity(unchecked) private var growing = CBOREncoder.durable
  private var growingFrom: UInt64
  /// The revision that was recorded last.
  @exclusivity(unchecked) private(set) var newest: UInt64
  private var startedThrough: UInt64 = 0
  @exclusivity(unchecked) private var batch = Batch.none
  /// The revisions and bytes that wait for the disk, by holder.
  @exclusivity(unchecked) private(set) var room: JournalRoom
  /// Returns the holder of an identity.
  var holder: (ActionOrigin.Identity) -> Holder = { _ in .unknown }
  /// The origin and the holder of the step that was charged last.
  @exclusivity(unchecked) private var lastPayer: (origin: ActionOrigin, holder: Holder)?
  /// When the wait for the daemon's first revisions began; nil outside of this wait.
  private var waitingSince: Instant?
  /// Whether this wait has lasted for ``Timing/stall``.
  private var isWaitOver = false
  /// Why the journal cannot write for now; nil while it can.
  @exclusivity(unchecked) private(set) var obstacle: String?

  /// The listed sessions and the running effects at the newest released revision.
  private var history: KeptHistory
  /// Changes of the history after that revision.
  private var events:
    Deque<(revision: UInt64, origin: JournalRecord.Origin, details: JournalRecord.Details)> = []
  /// The bytes of records since the last snapshot.
  private var bytesSinceSnapshot: Int
  private var isStoring = false
  /// The only revision with a snapshot; nil if there are two, or if no second one is wanted.
  private var loneSnapshot: UInt64?

  private enum Batch {
    case none
    /// The journal writes it.
    case underWay(JournalBatch)
    /// The write failed; it is retried at the instant.
    case waiting(JournalBatch, until: Instant)
    /// The journal has failed for good, for this reason.
    case failed(String)
  }

  /// Creates a recorder without waiting records.
  ///
  /// - Parameters:
  ///   - revision: The newest revision, which is durable.
  ///   - history: The history at that revision: listed sessions and effects.
  ///   - bytes: The bytes of records since the last snapshot.
  ///   - limits: The limits of waiting records.
  ///   - timing: How long clients wait for the disk, and when a failed batch is retried.
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
    effectNumbers = min(history.greatestEffectNumber, KeptHistory.greatestNumber)
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
  ///   - origin: The origin of the lineage that the revision belongs to; nil for the daemon.
  ///   - delta: Writes the revision's delta; returns false if there is no change.
  /// - Returns: The number of the delta's bytes.
  func record(
    _ revision: UInt64,
    of origin: ActionOrigin? = nil,
    delta: (inout CBOREncoder) -> Bool,
  ) -> Int {
    let start = growing.count
    defer { room.add(growing.count - start, of: payer(origin)) }
    precondition(revision == newest + 1, "Revision \(revision) was recorded after \(newest)")
    newest = revision
    let cause = cause
    self.cause = nextCause ?? .daemon
    nextCause = nil
    // A swap, because a copy takes longer.
    var details = JournalRecord.Details()
    swap(&details, &self.details)
    if let beganAt, let nanoseconds {
      details.microseconds = UInt64(clamping: (nanoseconds() - beganAt) / 1_000)
    }
    beganAt = nil
    if pendingFiring != nil, details.fired != nil { pendingFiring = nil }
    note(details, of: cause, at: revision)
    return JournalRecord.encode(
      revision: revision,
      wallMilliseconds: wallMilliseconds,
      details: details,
      to: &growing,
      origin: { encoder in
        switch cause {
        case .client:
          encoder.append(clientOrigin)
          if let unnamedSession { unnamedSession.nameIsRecorded() }
        case .daemon: encoder.encodeNull()
        case .other(let origin): origin.encode(to: &encoder)
        }
      },
      delta: delta,
    )
  }

  /// The holder of an origin; nil for the daemon.
  private func payer(_ origin: ActionOrigin?) -> Holder? {
    guard let origin else { return nil }
    if case .process = origin.identity { return nil }
    // Most steps have the origin of the step before.
    if let lastPayer, lastPayer.origin == origin { return lastPayer.holder }
    let holder = holder(origin.identity)
    lastPayer = (origin, holder)
    return holder
  }

  /// Notes a change of the history, which snapshots contain once the revision is released.
  private func note(
    _ details: JournalRecord.Details,
    of cause: RecordCause,
    at revision: UInt64,
  ) {
    let origin: JournalRecord.Origin
    if case .other(let other) = cause, other.changesHistory {
      origin = other
    } else if details.changesEffects {
      origin = .daemon
    } else {
      return
    }
    var noted = details
    // They change no sessions and no effects.
    noted.refused = []
    noted.reply = nil
    events.append((revision, origin, noted))
  }

  /// Sets the cause of the next revision to a client's action.
  func beginAction(
    of session: RecordedSession,
    _ sequence: UInt64,
    to scope: String,
    _ action: ArraySlice<UInt8>,
  ) {
    clientOrigin.truncate(to: .start)
    if session.name != nil { unnamedSession = session }
    session.encode(action, sequence, to: scope, &clientOrigin)
    cause = .client
  }

  /// Ends a client's action as a cause: its revision is recorded, or there is none.
  func endAction() {
    cause = .daemon
    if unnamedSession != nil { unnamedSession = nil }
  }

  /// Sets the cause of the next revision to an event that the reducer is about to receive.
  func begin(_ origin: JournalRecord.Origin) { cause = .other(origin) }

  /// Begins a revision: sets its cause, unless it has one, and the start of its duration.
  ///
  /// - Parameter action: Describes the action; called only if no client and no session is
  ///   the cause.
  func begin(_ action: () -> JournalRecord.InternalAction) {
    if case .daemon = cause {
      cause = .other(.internal(action()))
      if let time = wallNow?() { wallMilliseconds = time }
    }
    if let pendingFiring { details.fired = pendingFiring.firing }
    beganAt = nanoseconds?()
  }

  /// Notes an action that follows in the next revision.
  ///
  /// - Parameter name: Returns its name; called only if there is room for it.
  func follows(_ name: () -> String) {
    guard details.followed.count < JournalRecord.Details.mostFollowed else { return }
    details.followed.append(name())
  }

  /// Whether the next revision is that of an action that no client sent.
  var isInternal: Bool {
    if case .other(.internal) = cause { true } else { false }
  }

  /// Begins a revision made by changes to shared values; the pending cause applies to the revision
  /// after it.
  func beginShared() {
    (nextCause, cause) = (cause, .daemon)
    beganAt = nil
  }

  /// Abandons a revision: its action was refused, or the action's target is absent.
  func abandon() {
    beganAt = nil
    if !details.hasNoFacts { details.followed = [] }
    abandonFiring()
    // A session that joins or leaves is noted all the same.
    if case .other(let origin) = cause, case .internal = origin { cause = .daemon }
  }

  /// Notes that a schedule has fired without a revision, so that it does not fire again.
  private func abandonFiring() {
    guard let pending = pendingFiring else { return }
    (pendingFiring, details.fired) = (nil, nil)
    let number = pending.firing.number
    if pending.firing.next == nil {
      details.unscheduled.append(number)
    } else {
      details.scheduled.append(.init(number: number, timer: pending.timer))
    }
    onEffects?()
  }

  /// The schedule whose action is reduced next; nil if there is none.
  var firingTimer: RestoredTimer? {
    pendingFiring.map { RestoredTimer(number: $0.firing.number, timer: $0.timer) }
  }

  /// Notes that a reducer has refused a client's action; the next record of any kind contains it.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - holder: The client's holder, which has a share of the room for such notes.
  func refused(_ action: JournalRecord.RefusedAction, of holder: Holder) {
    guard refusalShares.count.hasRoom(for: holder, in: limits.unrecordedRefusals),
      refusalShares.bytes.hasRoom(for: action.bytes, of: holder, in: limits.unrecordedRefusalBytes)
    else {
      details.refusedMore += 1
      return
    }
    refusalShares.count.add(1, to: holder)
    refusalShares.bytes.add(action.bytes, to: holder)
    details.refused.append(action)
  }

  /// Notes that a client has sent a goodbye: the outcomes of its actions are obsolete.
  ///
  /// The next record of any kind contains the note. A restart before that record restores the
  /// outcomes, which no client requests.
  func forgot(_ client: Identifier) {
    details.forgotten.append(client)
    for index in details.refused.indices where details.refused[index].client == client {
      details.refused[index].isForgotten = true
    }
  }

  /// Whether events need a record of their own: effects have begun or ended, or
  /// ``Limits/unrecordedFarewells`` clients have sent a goodbye.
  var needsRecord: Bool {
    if details.hasNoFacts { return false }
    return details.changesEffects || details.forgotten.count >= limits.unrecordedFarewells
  }

  /// Whether a record is needed to reserve further session numbers.
  ///
  /// - Parameter last: The greatest number that a session has had.
  /// - Returns: False also while records wait for the next batch, since each batch
  ///   reserves numbers.
  func needsSessionNumbers(behind last: UInt64) -> Bool {
    newest < growingFrom && sessionNumbers < last + limits.reservedSessions / 2
  }

  /// Whether a last record is needed before the daemon ends, to note clients that sent a goodbye,
  /// and refused actions.
  func needsLastRecord(_ now: Instant) -> Bool {
    if details.hasNoFacts { return false }
    let hasNotes =
      !details.forgotten.isEmpty || !details.refused.isEmpty || details.refusedMore > 0
    return hasNotes && refusal(now, of: nil) == nil
  }

  /// Notes a session event that caused no revision, so that no record contains it.
  func noteUnrecordedOrigin() {
    note(JournalRecord.Details(), of: cause, at: newest)
    cause = .daemon
    noteEvents()
  }

  /// Whether a revision is not released yet.
  var hasUnreleased: Bool { released < newest }

  /// Notes that the daemon's first revisions are recorded.
  ///
  /// Clients are answered only after their release, unless the disk has stalled.
  func started() { startedThrough = newest }

  private var isStarting: Bool { released < startedThrough }

  /// Whether to stop reading control frames because the daemon starts and the journal still writes.
  ///
  /// False while a failed batch waits: see ``refusal(_:of:)``. No client waits past ``waitEnd``.
  func needsBackpressure(_ now: Instant) -> Bool {
    isStarting && isWriting && waitEnd.map { now < $0 } ?? true
  }

  /// Whether the disk works, by the result of the last write.
  private var isWriting: Bool {
    switch batch {
    case .none, .underWay: true
    case .waiting, .failed: false
    }
  }

  /// The holders whose frames wait, because they have used their share of the room for records.
  func waitingHolders(_ now: Instant) -> Set<Holder> { isWriting ? room.waiting(at: now) : [] }

  /// When clients that wait for the start are served, even if the disk has stalled; nil if no wait
  /// has begun.
  private var waitEnd: Instant? { waitingSince?.advanced(by: timing.stall) }

  /// Why a change is refused, because the disk does not keep up; nil if it is accepted.
  ///
  /// - Parameters:
  ///   - now: The moment.
  ///   - holder: The holder that requests the change; nil for the daemon.
  /// - Returns: The reason; nil if the change is accepted.
  func refusal(_ now: Instant, of holder: Holder?) -> Outcome.Failure? {
    let reason: String
    if let obstacle {
      let sentence = obstacle.hasSuffix(".") ? obstacle : "\(obstacle)."
      reason = "The daemon cannot keep the changes of the action: \(sentence)"
    } else if room.hasItsShare(holder),
      !isWriting || holder.map({ !room.isWaiting($0, at: now) }) ?? true
    {
      reason =
        "The daemon's disk is too slow for your actions: \(room.revisions(of: holder)) of your "
        + "changes wait."
    } else {
      return nil
    }
    return Outcome.Failure(code: Outcome.overloaded, message: "\(reason) Try again later.")
  }

  /// Fails for good when the unreleased revisions reach a limit.
  ///
  /// Clients' actions are refused long before. The later steps are those of the daemon's own
  /// effects, which cannot be refused.
  ///
  /// - Returns: The reason for the failure; nil without a new failure.
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

  /// The holders, except the owner, whose effects have to end, because their records would exhaust
  /// the memory and end the daemon.
  ///
  /// Half of the memory is a reserve of the owner and the daemon.
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

  /// The greatest number of bytes of a batch whose memory is reused for the next one.
  private static let keptBytes = 256 << 10

  /// When the failed batch is retried, or the disk counts as stalled.
  var nextDeadline: Instant {
    switch batch {
    case .waiting(_, let instant): instant
    case .none, .underWay:
      min(room.nextDeadline, isWaitOver ? .distantFuture : waitEnd ?? .distantFuture)
    case .failed: .distantFuture
    }
  }

  /// Notes at the end of a turn when a wait began, and whether it is over.
  ///
  /// An ended wait stays so until the disk makes progress.
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

  /// Takes the batch that the journal writes next.
  ///
  /// - Parameters:
  ///   - now: The moment.
  ///   - lastSession: The greatest number that a session has had.
  /// - Returns: The batch; nil if there are no records, or another batch is not finished.
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
      // The memory of a burst is freed.
      if growing.count > Self.keptBytes { growing = .durable } else { growing.truncate(to: .start) }
      growingFrom = newest + 1
      refusalShares = (Shares(), Shares())
      room.beginBatch()
      self.batch = .underWay(batch)
      return batch
    case .none, .underWay, .waiting, .failed: return nil
    }
  }

  /// Receives the result of a request to the journal.
  ///
  /// - Returns: The reason for a permanent failure; nil otherwise.
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
      // The next snapshot is due as late as after a successful one.
      if let reason { problems.append("A snapshot was not kept: \(reason)") }
    // A new epoch does not concern records.
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
    if obstacle != nil { problems.append("Waiting records are kept. Actions are taken again.") }
    obstacle = nil
    bytesSinceSnapshot += batch.records.count
    noteEvents()
  }

  /// Takes the batch that was under way; nil after a failure, which voids earlier requests.
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

  /// Bounded by ``Batch``: one batch and one snapshot are under way, and each turn takes
  /// the problems.
  private var problems: [String] = []

  /// Takes the problems and recoveries since the last call.
  func takeProblems() -> [String] {
    defer { problems = [] }
    return problems
  }

  /// Whether the records since the last snapshot make the next one due.
  var needsSnapshot: Bool {
    guard !isStoring else { return false }
    return bytesSinceSnapshot >= limits.recordBytesPerSnapshot
      || loneSnapshot.map { released - $0 >= limits.recordsBeforeSecondSnapshot } ?? false
  }

  /// Notes that only this revision has a snapshot, and requests a second one early: the history
  /// depends on it if the first one is damaged.
  package func wantsSecondSnapshot(behind revision: UInt64) { loneSnapshot = revision }

  /// Whether a second snapshot is to be kept when the daemon ends.
  var needsLastSnapshot: Bool {
    !isStoring && loneSnapshot.map { released > $0 } ?? false
  }

  /// Makes the snapshot that the journal stores next.
  ///
  /// - Parameters:
  ///   - version: The root at the newest released revision.
  ///   - clients: The outcomes of actions up to that revision, by client.
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
    var effect = effect
    if case .other(.restored(let restoration)) = cause {
      let continued = restoration.interrupted.filter { $0.isContinued(by: effect) }
      effect.crashes = continued.map(\.crashes).max() ?? 0
    }
    details.began.append(
      JournalRecord.RunningEffect(number: effectNumbers + number, effect: effect)
    )
  }

  package func tookBack(_ number: UInt64) {
    details.began.removeAll { $0.number == effectNumbers + number }
    details.scheduled.removeAll { $0.number == effectNumbers + number }
  }

  package func timerNumber(_ serial: UInt64) -> UInt64 { effectNumbers + serial }

  package func scheduled(_ number: UInt64, _ timer: DurableTimer) {
    details.scheduled.append(.init(number: number, timer: timer))
    onEffects?()
  }

  package func unscheduled(_ number: UInt64) {
    details.unscheduled.append(number)
    onEffects?()
  }

  package func fires(_ number: UInt64, _ timer: DurableTimer, due: Double, isLast: Bool) {
    let firing = JournalRecord.Firing(number: number, due: due, next: isLast ? nil : timer.due)
    pendingFiring = PendingFiring(firing: firing, timer: timer)
  }

  package func ended(_ number: UInt64) {
    details.ended.append(effectNumbers + number)
    onEffects?()
  }
}

extension JournalRecord.Details {
  /// Whether it changes the running effects or the schedules.
  fileprivate var changesEffects: Bool {
    if hasNoFacts { return false }
    return !self.began.isEmpty || !self.ended.isEmpty || !self.scheduled.isEmpty
      || !self.unscheduled.isEmpty || self.fired != nil
  }
}
