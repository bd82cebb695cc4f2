import DequeModule
import IssueReporting
import StoreActor
import StoreExposures
import StoreHistory
import StoreProtocol
import StoreState

/// The root store of a daemon.
///
/// No other part of replication knows its types.
///
/// It keeps previous versions, and passes pointers to roots to closures that were made for the
/// root's types. The pointers are valid during the call only.
///
/// With a journal, a step is recorded when it is reduced, and the observer is notified when it is
/// released. Until then it is not visible: ``revision``, ``version()`` and digests are those of the
/// newest released revision.
@MainActor
final class TypedRoot<Root: Sendable, RootAction>: RootPort {
  let exposed: [ExposedScopes]
  @exclusivity(unchecked) unowned(safe) var observer: (any RootObserver)?
  let versions: VersionRing<Root>
  @exclusivity(unchecked) var crashNotes = CrashNotes()
  private let core: RootCore<Root, RootAction>
  private let sessionAction: (SessionEvent) -> RootAction?
  private let restoredAction: (Restoration) -> RootAction?
  /// The restoration that the reducer receives first; nil after that.
  private var pendingRestoration: Restoration?
  /// The exposures with a followed scope.
  ///
  /// Bounded by ``exposed``.
  private var followed: [ExposedScopes] = []
  /// The roots of the step in progress.
  @exclusivity(unchecked) private var old: ErasedScope.Place?
  @exclusivity(unchecked) private var new: ErasedScope.Place?
  /// The exposure whose client receives the reply of the next action; nil if none does.
  @exclusivity(unchecked) private var replyTarget: ExposedScopes?
  /// Whether the note of the reduction in progress ends with its step.
  @exclusivity(unchecked) private var endsNote = false
  /// Whether the next step shows changes of shared values, and has no action.
  @exclusivity(unchecked) private var isSharedStep = false
  /// The reply to the last action of a client; nil if there is none, or it was taken.
  @exclusivity(unchecked) private var reply: EncodedReply?
  /// The weight of the step in progress, in bytes: its deltas, and other bytes that the new root
  /// does not share with the old one.
  @exclusivity(unchecked) private var stepWeight = 0
  /// The journal that records steps; nil without one.
  private let journal: RootJournal<Root>?
  /// The newest released revision, if there is a journal.
  @exclusivity(unchecked) private var released: UInt64
  /// Outputs of revisions that were not released yet.
  ///
  /// Bounded by ``Limits/mostUnreleasedRevisions``, and as records by
  /// ``Limits/mostUnreleasedBytes``.
  @exclusivity(unchecked) private var unreleasedOutputs: Deque<UnreleasedOutput> = []

  /// Starts observing a store's steps and outputs.
  ///
  /// - Parameters:
  ///   - core: The store.
  ///   - exposures: The scopes that clients may see.
  ///   - limits: The number and the weight of kept versions.
  ///   - journal: The journal that records steps; nil without one.
  ///   - recovered: The root from the journal, which the store contains already; nil if the journal
  ///     was empty.
  ///   - restoredAction: The action that notifies the reducer of a restart, if any.
  ///   - sessionAction: The action that notifies the reducer of a listed session, if any.
  init(
    _ core: RootCore<Root, RootAction>,
    exposures: [Expose<Root, RootAction>],
    limits: Limits,
    journal: RootJournal<Root>? = nil,
    recovered: Recovered<Root>? = nil,
    restoredAction: @escaping (Restoration) -> RootAction? = { _ in nil },
    sessionAction: @escaping (SessionEvent) -> RootAction?,
  ) {
    self.core = core
    self.journal = journal
    released = core.revision
    core.kept = journal.map { _ in KeptRevisions(through: core.revision) }
    self.sessionAction = sessionAction
    self.restoredAction = restoredAction
    pendingRestoration = recovered?.restoration
    exposed = exposures.map { $0.scopes() }
    versions =
      recovered?.versions
      ?? VersionRing(
        limit: limits.versions,
        bytes: limits.versionBytes,
        revision: core.revision,
      )
    if journal != nil { versions.keep(from: core.revision) }
    core.defersEffects = true
    core.onStep = { [unowned self] revision, old, new in
      self.step(to: revision, from: old, to: new)
    }
    core.onBeginShared = { [unowned self] in
      isSharedStep = true
      self.journal?.recorder.beginShared()
    }
    observeReductions()
    guard exposed.contains(where: { $0.outputs != nil }) else { return }
    core.onOutput = { [unowned self] output, revision in
      if self.journal == nil || self.unreleasedOutputs.isEmpty && revision <= self.released {
        self.put(output, at: revision)
      } else {
        self.unreleasedOutputs.append(
          UnreleasedOutput(revision: revision) { [unowned self] in self.put(output, at: revision) }
        )
      }
    }
  }

  /// Describes each reduction, to the journal and to the notes of crashes.
  private func observeReductions() {
    if let recorder = journal?.recorder {
      core.effectLog = recorder
      core.onBegin = { [unowned self] action, cause in
        recorder.begin {
          let name = self.name(of: action)
          self.noteBegin { recorder.firingTimer.map(Self.name(of:)) ?? name }
          return .init(name: name, form: self.form(of: action), cause: cause)
        }
        ReducerInputs.begin()
      }
      core.onFollow = { [unowned self] action in recorder.follows { self.name(of: action) } }
      core.onAbandon = { [unowned self] in
        _ = ReducerInputs.end()
        recorder.abandon()
        noteEnd()
      }
    } else if core.onBegin == nil {
      // A test store that observes the reductions itself needs no notes. A client's action is
      // noted before its bytes are read.
      core.beginsRemoteActions = false
      core.onBegin = { [unowned self] action, _ in
        // The name of an action takes longer than many an action, and nothing else needs it here:
        // so only actions after a crash are named.
        noteBegin { crashNotes.hasCrashes ? name(of: action) : "an action that no client sent" }
      }
      core.onAbandon = { [unowned self] in noteEnd() }
    }
  }

  /// The name of a schedule's action in the notes of crashes, by which it is held.
  ///
  /// Numbers may return after a restart, so the revision is part of it.
  private static func name(of restored: RestoredTimer) -> String {
    "the schedule \(restored.number) of revision \(restored.timer.revision): \(restored.timer.id)"
      .bounded(toBytes: CrashNotes.mostNameBytes)
  }

  /// Notes the reduction of an action, unless a note covers it already: notes of a client's action,
  /// of a session and of the restoration last until their consequences are committed.
  private func noteBegin(_ name: () -> String) {
    guard !crashNotes.isOpen else { return }
    crashNotes.begin(name())
    endsNote = true
  }

  private func noteEnd() {
    guard endsNote else { return }
    endsNote = false
    crashNotes.end()
  }

  func detach() {
    core.onStep = nil
    core.onOutliving = nil
    core.onOutput = nil
    core.onBegin = nil
    core.onBeginShared = nil
    core.onAbandon = nil
    core.onFollow = nil
    core.effectLog = nil
    core.schedules.stop()
    core.kept?.end("The daemon has ended.")
    core.kept = nil
    // Unreleased revisions start no effects, now or later.
    if journal != nil, released < core.revision { core.cancelEffects() }
    core.defersEffects = false
  }

  var revision: UInt64 { journal == nil ? core.revision : released }

  var isDurable: Bool { journal != nil }

  var newestRevision: UInt64 { core.revision }

  // MARK: Actions

  func batch(as origin: ActionOrigin, _ sends: () -> Void) { core.batch(as: origin, sends) }

  func send(_ action: ArraySlice<UInt8>, to scope: RootScope) throws(CodecError) -> StoreTask? {
    let source = scope.source
    if source.isOptional, !core.withState({ source.isPresent(UnsafeRawPointer($0)) }) {
      return nil
    }
    var decoder = CBORDecoder(action)
    guard scope.hasReplies else { return try source.send(core, true, &decoder) }
    replyTarget = scope.exposed
    defer { replyTarget = nil }
    return try source.send(core, true, &decoder)
  }

  var scheduleObserver: (any ScheduleObserver)? {
    get { core.schedules.observer }
    set { core.schedules.observer = newValue }
  }

  var schedules: [ListedTimer] { core.schedules.list }

  func cancelSchedule(_ number: UInt64) -> Bool { core.cancelSchedule(number) }

  var onOutliving: (@MainActor (_ name: String, _ lineage: EffectLineage) -> Void)? {
    get { core.onOutliving }
    set { core.onOutliving = newValue }
  }

  func takeReply() -> EncodedReply? {
    guard reply != nil else { return nil }
    defer { reply = nil }
    return reply
  }

  /// Encodes the reply of the step in progress for the client that has sent the action.
  private func noteReply(for exposed: ExposedScopes) {
    replyTarget = nil
    guard let replies = exposed.replies, case .value(let value)? = core.reply else { return }
    var encoder = CBOREncoder()
    guard replies.encode(value, into: &encoder) else { return }
    let encoded = EncodedValue(schema: replies.schema, bytes: encoder.bytes)
    let mayBeSent = encoded.bytes.count <= Outcome.Reply.mostBytes && encoded.isShallow
    if !mayBeSent { reportUnsendableReply(encoded, of: exposed.description.name) }
    reply = EncodedReply(value: mayBeSent ? encoded : nil)
    journal?.recorder.details.reply = reply
  }

  func send(_ event: SessionEvent) {
    guard let action = sessionAction(event) else { return }
    crashNotes.begin("the action of a session that joined or left")
    defer { crashNotes.end() }
    core.send(action)
  }

  func takeRefusals() -> UnansweredRefusals? { core.takeRefusals() }

  func startFirst() {
    crashNotes.begin("the first start")
    defer { crashNotes.end() }
    if let journal {
      journal.recorder.begin(.restored(.first))
      ReducerInputs.begin()
    }
    core.restart(.first, reset: { _ in }, then: nil)
    // Without a reducer that asks for the start there is no revision.
    journal?.recorder.endAction()
  }

  func restart(after departed: [SessionInfo]) -> String? {
    guard let journal, var restoration = pendingRestoration else { return nil }
    pendingRestoration = nil
    for index in restoration.timers.indices {
      let name = Self.name(of: restoration.timers[index])
      restoration.timers[index].isHeld = crashNotes.runs(of: name) >= CrashNotes.mostRuns
    }
    crashNotes.begin("the restoration of the state")
    defer { crashNotes.end() }
    if restoration.isHeldBack, !journal.form.hasEphemeralParts {
      // A safe start without a change of the state needs no revision.
      core.holdBack(restoration)
      return nil
    }
    let departures = departed.compactMap { sessionAction(.left($0)) }
    var problem: String?
    journal.recorder.details.departed = departed
    if !restart(restoration, after: departures, journal, &problem) {
      // Each departure is a revision of its own then, so that a refusal of one concerns no other.
      journal.recorder.details.departed = []
      for session in departed {
        journal.recorder.begin(.session(.left(session)))
        send(.left(session))
        journal.recorder.noteUnrecordedOrigin()
      }
      crashNotes.begin("the restoration of the state")
      restart(restoration, after: [], journal, &problem)
    }
    return problem
  }

  /// Makes the revision of a restart, which begins with the departures.
  ///
  /// - Parameters:
  ///   - restoration: The information for the reducer.
  ///   - departures: The actions of the sessions that have left.
  ///   - journal: The journal that records the revision.
  ///   - problem: Set if the ephemeral parts of the state cannot be reset.
  /// - Returns: False if a departure was refused. Then there is no revision.
  @discardableResult
  private func restart(
    _ restoration: Restoration,
    after departures: [RootAction],
    _ journal: RootJournal<Root>,
    _ problem: inout String?,
  ) -> Bool {
    journal.recorder.begin(.restored(restoration))
    ReducerInputs.begin()
    return core.restart(
      restoration,
      after: departures,
      reset: { root in
        guard journal.form.hasEphemeralParts else { return }
        do throws(CodecError) {
          root = try journal.form.begunAnew(root)
        } catch {
          problem =
            "The ephemeral parts stay: the state cannot be decoded from its encoding: "
            + "\(error)"
        }
      },
      then: restoration.isHeldBack ? nil : restoredAction(restoration),
    )
  }

  func advance() { core.advance() }

  /// The bytes of an internal action: its durable form, or else those that a client could send.
  private func form(of action: RootAction) -> JournalRecord.InternalAction.Form? {
    if let actionForm = core.actionForm {
      return actionForm.bytes(of: action).map { .init(scope: nil, action: $0) }
    }
    return withUnsafePointer(to: action) { place in
      for scope in exposed {
        guard let bytes = scope.clientForm(of: UnsafeRawPointer(place)) else { continue }
        return .init(scope: scope.description.name, action: bytes)
      }
      return nil
    }
  }

  /// The cases of an action, and the ids of elements: `game.timer.ticked`.
  private func name(of action: RootAction) -> String {
    var path = ""
    for name in actionPath(of: action) {
      path += name.hasPrefix("[") || path.isEmpty ? name : ".\(name)"
    }
    return path
  }

  var hasEffectsToStart: Bool { core.hasEffectsToStart(through: revision) }

  func startEffects() { core.startEffects(through: revision) }

  // MARK: Steps

  func follow(_ scope: RootScope, as number: Int) {
    scope.exposed.follow(scope, as: number)
    if scope.exposed.followedCount == 1 { findFollowed() }
  }

  func unfollow(_ scope: RootScope) {
    scope.exposed.unfollow(scope)
    if scope.exposed.followedCount == 0 { findFollowed() }
  }

  /// Keeps the order of the exposures, which determines the order of publishing.
  private func findFollowed() { followed = exposed.filter { $0.followedCount > 0 } }

  /// Records or publishes a step that the store has reduced.
  ///
  /// - Parameters:
  ///   - revision: The step's revision.
  ///   - old: The address of the previous root, which is moved out.
  ///   - new: The address of the new root.
  private func step(
    to revision: UInt64,
    from old: UnsafeMutablePointer<Root>,
    to new: UnsafePointer<Root>,
  ) {
    if isSharedStep {
      isSharedStep = false
    } else if let replyTarget {
      noteReply(for: replyTarget)
    }
    if let journal {
      let read = ReducerInputs.end()
      journal.recorder.details.inputs = JournalRecord.Inputs(date: read.date, seed: read.seed)
      if read.hasReadOrigin, journal.recorder.isInternal {
        journal.recorder.details.readOrigin = core.originOfStep ?? .process
      }
      let changed = journal.record(revision, of: core.originOfStep, from: old, to: new)
      noteEnd()
      return versions.append(moving: old, revision: revision - 1, changed: changed)
    }
    let (before, after) = (UnsafeRawPointer(old), UnsafeRawPointer(new))
    stepWeight = 0
    if let observer { tell(observer, of: revision, from: before, to: after) }
    var weight = stepWeight
    if revision.isMultiple(of: stepsPerWeighing) {
      weight += unfollowedWeight(from: before, to: after) * Int(stepsPerWeighing)
    }
    versions.append(moving: old, revision: revision - 1, changed: weight)
    noteEnd()
  }

  /// Notifies an observer of a step.
  private func tell(
    _ observer: any RootObserver,
    of revision: UInt64,
    from old: ErasedScope.Place,
    to new: ErasedScope.Place,
  ) {
    (self.old, self.new) = (old, new)
    for exposed in followed {
      exposed.forEachChanged(from: old, to: new) { observer.mayHaveChanged($0, at: revision) }
    }
    (self.old, self.new) = (nil, nil)
    observer.stepped(to: revision)
  }

  func release(through revision: UInt64) {
    putOut(through: released)
    let observer = observer
    while released < revision {
      let next = released + 1
      withPlace(of: released) { old in
        withPlace(of: next) { new in
          released = next
          if let observer { tell(observer, of: next, from: old, to: new) }
        }
      }
      if !unreleasedOutputs.isEmpty { putOut(through: next) }
    }
    versions.keep(from: released)
    core.kept?.keep(through: released)
  }

  func fail(_ reason: String) { core.kept?.end(reason) }

  private func putOut(through revision: UInt64) {
    while let output = unreleasedOutputs.first, output.revision <= revision {
      unreleasedOutputs.removeFirst()
      output.put()
    }
  }

  /// Reads the root at a revision, from the newest released one on.
  private func withPlace<Result>(
    of revision: UInt64,
    _ body: (ErasedScope.Place) -> Result,
  ) -> Result {
    if revision == core.revision { return core.withState { body(UnsafeRawPointer($0)) } }
    guard let place = versions.place(of: revision) else {
      preconditionFailure("Revision \(revision) is not kept, of \(core.revision)")
    }
    return body(UnsafeRawPointer(place))
  }

  func encodeDelta(of scope: RootScope, into encoder: inout CBOREncoder) -> Bool {
    guard let old, let new else {
      preconditionFailure("A delta was asked for outside of a step, at revision \(revision)")
    }
    let start = encoder.count
    guard scope.source.encodeDelta(old, new, &encoder) else { return false }
    stepWeight += encoder.count - start + encoder.takeUnshared()
    return true
  }

  /// The bytes of changes in exposed scopes that no client follows.
  ///
  /// A row counts as part of its array.
  private func unfollowedWeight(from old: ErasedScope.Place, to new: ErasedScope.Place) -> Int {
    var weight = 0
    for exposed in exposed {
      guard let scope = exposed.whole, scope.number == nil else { continue }
      var encoder = CBOREncoder()
      guard scope.source.encodeDelta(old, new, &encoder) else { continue }
      weight += encoder.count + encoder.takeUnshared()
    }
    return weight
  }

  /// Passes an output to the observer.
  ///
  /// An output without an action belongs to the root, which is not a scope.
  private func put(_ output: StoreOutput<RootAction>, at revision: UInt64) {
    guard let observer, let action = output.action else { return }
    withUnsafePointer(to: action) { action in
      for exposed in followed where exposed.outputs != nil {
        guard let scope = exposed.followedScope(of: UnsafeRawPointer(action)) else { continue }
        observer.put(output.value, of: scope, at: revision)
      }
    }
  }

  func digest(of scope: RootScope) -> Digest {
    withPlace(of: revision) { scope.source.digest($0) }
  }

  func newestDigest(of scope: RootScope) -> Digest {
    core.withState { scope.source.digest(UnsafeRawPointer($0)) }
  }

  func rows(_ query: RowQuery, _ rights: Rights, _ limits: Limits) -> RowAnswer {
    for exposed in exposed {
      guard let rows = exposed.rows, let ids = exposed.description.id,
        exposed.description.name.utf8.elementsEqual(query.scope.utf8),
        // The position of the next page reveals the number of rows.
        rights.sees(exposed.description)
      else { continue }
      var search = RowSearch(query, ids, rights, limits)
      let next = withPlace(of: revision) { place in
        rows.encodedIDs(place, Int(clamping: query.start)) { search.look(at: $0) }
      }
      return RowAnswer(ids: search.ids, next: next.map { UInt64($0) })
    }
    return RowAnswer(ids: [], next: nil)
  }

  // MARK: Versions

  func version() -> RootVersion {
    withPlace(of: revision) {
      RootVersion($0.assumingMemoryBound(to: Root.self).pointee, revision: revision)
    }
  }

  var encodeDurably: (@Sendable (ErasedScope.Place, inout CBOREncoder) -> Void)? {
    guard let encode = journal?.form.encode else { return nil }
    return { encode($0.assumingMemoryBound(to: Root.self).pointee, &$1) }
  }

  func past(
    _ question: HistoryQuery,
    _ rights: Rights,
    _ limits: Limits,
  ) -> HistoryJob.Answer? {
    var query = question
    var named = exposed.compactMap { NamedScopes($0, rights) }
    var (asked, listed): (ErasedScope?, String?)
    switch question {
    case .log(let after, let count, let scope?, let client):
      guard let found = resolve(scope, limits), rights.sees(found.name) else { return nil }
      listed = found.name
      query = .log(after: after, count: count, scope: found.name, client: client)
      // By its own name, which can differ from its name among many rows.
      named.append(NamedScopes(found.name, found.scope.source))
    case .state(_, let scope):
      guard let found = resolve(scope, limits), rights.sees(found.name) else { return nil }
      asked = found.scope.source
    case .log, .verify: break
    }
    guard let form = journal?.form else {
      return { _, _ in .failed(.inMemoryOnly) }
    }
    let asking = query
    let past = TypedPast(form, naming: named, asked: asked)
    let telling: PastTelling =
      rights.isEverything ? .causes : .seen(SeenActions(rights, core.actionForm, among: exposed))
    guard case .log = asking else {
      return { source, _ in
        var reader = PastReader(source, past, telling: telling)
        return reader.answer(asking)
      }
    }
    let list = ListedPast<Root>.List(scope: listed, rights: rights)
    return { source, left in
      let kept = left as? ListedPast<Root>
      left = nil
      var reader =
        kept.flatMap { $0.list == list ? $0.reader : nil }
        ?? PastReader(source, past, telling: telling)
      let answer = reader.answer(asking)
      left = ListedPast(list: list, reader: reader)
      return answer
    }
  }

  func scope(called name: String) -> Result<ResolvedScope, CodecError>? {
    withPlace(of: revision) { exposed.scope(called: name, in: $0) }
  }

  private func resolve(_ name: String, _ limits: Limits) -> ResolvedScope? {
    guard name.utf8.count <= limits.scopeNameBytes else { return nil }
    // A name without a valid row id names no scope.
    guard case .success(let found)? = scope(called: name) else { return nil }
    return found
  }

  func letVersionsGo() { versions.letGo(atMost: 256) }

  func version(at revision: UInt64) -> RootVersion? {
    if revision == self.revision { return version() }
    guard revision < self.revision else { return nil }
    return versions[revision].map { RootVersion($0, revision: revision) }
  }
}

/// Reports a reply that is too large for a client.
private func reportUnsendableReply(_ reply: EncodedValue, of scope: String) {
  reportIssue(
    """
    A reply in scope "\(scope)" has \(reply.bytes.count) bytes in its wire form, and may have \
    \(Outcome.Reply.mostBytes), in at most \(EncodedValue.mostLevels) levels. The client does not \
    receive it.

    To fix, reply with a smaller value, such as an id, and put the rest into the state.
    """
  )
}

/// The reader of a log, after the pages that were listed.
private struct ListedPast<Root: Sendable>: Sendable {
  /// The properties that the pages of one list share.
  struct List: Hashable, Sendable {
    let scope: String?
    let rights: Rights
  }

  let list: List
  let reader: PastReader<TypedPast<Root>>
}

/// An output that waits for its revision's release.
///
/// It is neither generic nor nested in a generic type: each step checks for such outputs, and
/// access to generic types is slow.
private struct UnreleasedOutput {
  let revision: UInt64
  let put: () -> Void
}

/// The interval between sampled steps, whose weight includes changes in scopes that no
/// client follows.
///
/// A sampled step stands for the others, because these deltas have no other use. The interval is a
/// prime, so that each of several alternating actions is sampled.
private let stepsPerWeighing: UInt64 = 61

extension CBOREncoder {
  /// Takes the bytes that were noted as unshared since the last call.
  fileprivate mutating func takeUnshared() -> Int {
    defer { unshared = 0 }
    return unshared
  }
}
