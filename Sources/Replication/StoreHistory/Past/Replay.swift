import GenericState
package import StoreActor
package import StoreExposures
package import StoreProtocol
import StoreState

/// Runs a root's reducer again with the actions of a journal, and compares the results.
///
/// Each revision begins with the kept state before it, so a difference belongs to its own revision.
/// Reducers read the recorded date, UUIDs and random numbers. No effect runs.
@MainActor
package final class Replay<Root: Sendable, RootAction> {
  private let core: RootCore<Root, RootAction>
  private let exposed: [ExposedScopes]
  private let form: DurableForm<Root>
  private let sessionAction: (SessionEvent) -> RootAction?
  private let restoredAction: (Restoration) -> RootAction?
  /// Whether the next revision begins with the store's state: it equals the kept one, and its
  /// unkept parts are those that the reducers made.
  private var goesOn = false

  /// Takes over a store, which must have no other user.
  package init(
    _ core: RootCore<Root, RootAction>,
    exposures: [Expose<Root, RootAction>],
    form: DurableForm<Root>,
    restoredAction: @escaping (Restoration) -> RootAction?,
    sessionAction: @escaping (SessionEvent) -> RootAction?,
  ) {
    self.core = core
    self.form = form
    self.sessionAction = sessionAction
    self.restoredAction = restoredAction
    exposed = exposures.map { $0.scopes() }
    core.startNoEffects()
    core.dependencies.shareNothing()
  }

  /// Runs revisions again, until one differs.
  ///
  /// - Parameters:
  ///   - source: The past.
  ///   - revisions: The range; if it begins with 0, from the oldest revision that can be run again.
  /// - Returns: The result.
  /// - Throws: ``HistoryError``.
  package func run(
    _ source: any HistorySource,
    _ revisions: ClosedRange<UInt64>,
  ) throws(HistoryError) -> ReplayReport {
    var report = ReplayReport()
    report.unkept = form.unkept
    var changes = SipHash24()
    goesOn = false
    try walk(source, revisions) { (step) throws(HistoryError) in
      report.first = report.first ?? step.revision
      report.last = step.revision
      run(step, &report, &changes)
      return report.difference == nil
    }
    report.digest = "\(Digest(rawValue: changes.finish()))"
    return report
  }

  /// Extracts a range of a history as a separate journal.
  ///
  /// - Parameters:
  ///   - source: The past.
  ///   - revisions: The range, as in ``run(_:_:)``.
  ///   - most: The most bytes of its state and its records.
  /// - Returns: The excerpt, which begins with the state before the range.
  /// - Throws: ``HistoryError``, also when the range has no revision.
  package func excerpt(
    _ source: any HistorySource,
    _ revisions: ClosedRange<UInt64>,
    atMost most: Int = .max,
  ) throws(HistoryError) -> JournalExcerpt {
    var size = 0
    var excerpt: JournalExcerpt?
    try walk(source, revisions) { (step) throws(HistoryError) in
      if excerpt == nil {
        let before = step.revision - 1
        var kept = KeptHistory()
        kept.timers = step.entry.schedules
        let snapshotBytes = SnapshotBytes.encode(revision: before, kept) {
          form.encode(step.old, &$0)
        }
        size = snapshotBytes.count
        let snapshot = HistoryPart(schema: form.schema, bytes: snapshotBytes)
        excerpt = JournalExcerpt(root: form.name, snapshot: snapshot, before: before)
      }
      size += step.entry.bytes.count
      guard size <= most else {
        throw HistoryError(
          .tooLarge,
          "The state and the records up to revision \(step.revision) have more than \(most) bytes.",
        )
      }
      excerpt?.append(step.entry.bytes, of: step.revision, step.entry.schema)
      return true
    }
    guard let excerpt else {
      throw HistoryError(.unavailable, "There is no revision to run again.")
    }
    return excerpt
  }

  // MARK: The past

  /// A record, with the kept states before and after it.
  private struct Step {
    var entry: HistoryWalk.Entry
    var old: Root
    var new: Root

    var revision: UInt64 { entry.record.revision }
  }

  /// Passes the records of a range to `body`, oldest first, until it returns false.
  private func walk(
    _ source: any HistorySource,
    _ revisions: ClosedRange<UInt64>,
    _ body: (Step) throws(HistoryError) -> Bool,
  ) throws(HistoryError) {
    // The shared values in the states that are read are those of the reducers' dependencies.
    try core.withOwnDependencies { () throws(HistoryError) in
      try walkHere(source, revisions, body)
    }
  }

  private func walkHere(
    _ source: any HistorySource,
    _ revisions: ClosedRange<UInt64>,
    _ body: (Step) throws(HistoryError) -> Bool,
  ) throws(HistoryError) {
    let walk = try HistoryWalk(source, revisions)
    var past = TypedPast(form)
    try walk.run(&past) { (past, entry) throws(HistoryError) in
      guard let old = past.root else { return false }
      _ = try past.advance(entry.record, entry.schema, naming: false, in: source)
      guard entry.record.revision >= walk.first, let new = past.root else { return true }
      return try body(Step(entry: entry, old: old, new: new))
    }
  }

  // MARK: One revision

  private func run(
    _ step: Step,
    _ report: inout ReplayReport,
    _ changes: inout SipHash24,
  ) {
    let record = step.entry.record
    if case .daemon = record.origin {
      // No action was reduced, but shared values may have changed.
      if record.delta != nil { goesOn = false }
      return
    }
    // After a restart the unkept parts have their defaults.
    if case .restored = record.origin { goesOn = false }
    core.restore(goesOn ? core.state : step.old, revision: record.revision - 1)
    goesOn = false
    let inputs = record.details.inputs
    ReducerInputs.begin(
      with: ReducerInputs.Read(date: inputs.date, seed: inputs.seed),
      notingOthers: true,
    )
    let obstacle = reduce(step.entry, &report)
    let read = ReducerInputs.end()
    var others = ReducerInputs.others
    core.dropEffects()
    if let obstacle { return report.pass(over: kind(of: record), obstacle) }
    var isInternal = false
    if case .internal = record.origin { isInternal = true }
    let isThrottled = others.remove(ReducerInputs.throttle) != nil
    // The origin is recorded for a client, a session and a restart, and where it is read.
    let lacksOrigin = isInternal && read.hasReadOrigin && record.details.readOrigin == nil
    others.remove("origin")
    if let missing = missing(read, inputs) {
      return report.pass(over: kind(of: record), "it reads \(missing), which was not kept")
    }
    guard differs(from: step.new) else {
      // If everything is kept, the kept state is used: values with shared storage compare faster.
      goesOn = !form.unkept.isEmpty
      changes.append(littleEndian: record.revision)
      change(from: step.old).withUnsafeBytes { changes.append($0) }
      return report.check(others)
    }
    if lacksOrigin {
      return report.pass(over: kind(of: record), "it reads its origin, which was not kept")
    }
    if isThrottled {
      return report.pass(over: kind(of: record), "its throttling depends on a clock")
    }
    report.difference = difference(from: step.new, at: record, others)
  }

  /// The input that the reducer has read and the record lacks; nil if the record has all.
  private func missing(
    _ read: ReducerInputs.Read,
    _ kept: JournalRecord.Inputs,
  ) -> String? {
    if read.date != nil, kept.date == nil { return "the date" }
    if read.seed != nil, kept.seed == nil { return "a random number" }
    return nil
  }

  /// Reduces the action of a record.
  ///
  /// - Returns: The reason why that is impossible; nil on success.
  private func reduce(
    _ entry: HistoryWalk.Entry,
    _ report: inout ReplayReport,
  ) -> String? {
    let record = entry.record
    switch record.origin {
    case .daemon: break
    case .session(let event):
      // A daemon without session actions does not record sessions.
      guard let action = sessionAction(event) else { return "this build makes no action of it" }
      report.hasSessionActions = true
      core.send(action)
    case .restored(var restoration):
      restoration.timers = entry.schedules.restored
      let action = restoration.isHeldBack ? nil : restoredAction(restoration)
      if action != nil { report.hasRestoredActions = true }
      let departures = record.details.departed.compactMap { sessionAction(.left($0)) }
      if !departures.isEmpty { report.hasSessionActions = true }
      return restart(restoration, after: departures, then: action)
    case .internal(let action):
      guard let form = action.form else { return "it has no form" }
      let origin = record.details.readOrigin
      guard let scope = form.scope else { return send(form.action, as: origin) }
      return send(form.action, to: scope, as: origin, isFromAfar: false)
    case .client(let action):
      let origin = ActionOrigin(identity: action.identity, session: action.session)
      return send(action.action, to: action.scope, as: origin, isFromAfar: true)
    }
    return nil
  }

  private func restart(
    _ restoration: Restoration,
    after departures: [RootAction],
    then action: RootAction?,
  ) -> String? {
    var problem: String?
    core.restart(
      restoration,
      after: departures,
      reset: { root in
        guard form.hasEphemeralParts, restoration.isRestart else { return }
        do throws(CodecError) {
          root = try form.begunAnew(root)
        } catch {
          problem = "the state cannot be decoded from its encoding: \(error)"
        }
      },
      then: action,
      keepingSchedules: true,
    )
    return problem
  }

  /// Sends an internal action that was recorded in its durable form.
  private func send(_ bytes: [UInt8], as origin: ActionOrigin?) -> String? {
    guard let form = StoredActionForm<RootAction>() else {
      return "this build's actions have no durable form"
    }
    do throws(CodecError) {
      let action = try form.action(bytes)
      core.batch(as: origin) { core.send(action) }
      return nil
    } catch {
      return "this build cannot read it: \(error.code)"
    }
  }

  private func send(
    _ action: [UInt8],
    to scope: String,
    as origin: ActionOrigin?,
    isFromAfar: Bool,
  ) -> String? {
    let found = core.withState { exposed.scope(called: scope, in: UnsafeRawPointer($0)) }
    guard let found else { return "this build does not expose the scope" }
    var failure: CodecError?
    core.batch(as: origin) {
      do throws(CodecError) {
        let source = try found.get().scope.source
        var decoder = CBORDecoder(action)
        _ = try source.send(core, isFromAfar, &decoder)
      } catch {
        failure = error
      }
    }
    if let failure { return "this build cannot read it: \(failure.code)" }
    return nil
  }

  // MARK: Comparing

  /// Whether the reducer's result differs from the kept one.
  private func differs(from kept: Root) -> Bool {
    var encoder = CBOREncoder.durable
    return withUnsafePointer(to: kept) { kept in
      core.withState { form.encodeDelta(kept, $0, &encoder) }
    }
  }

  /// The delta from a state to the reducer's result.
  private func change(from old: Root) -> [UInt8] {
    var encoder = CBOREncoder.durable
    withUnsafePointer(to: old) { old in
      core.withState { _ = form.encodeDelta(old, $0, &encoder) }
    }
    return encoder.bytes
  }

  private func difference(
    from kept: Root,
    at record: JournalRecord,
    _ others: Set<String>,
  ) -> ReplayReport.Difference {
    let (kept, now) = (form.encoded(kept), form.encoded(core.state))
    var difference = ReplayReport.Difference(
      revision: record.revision,
      cause: cause(of: record),
      path: "$",
      recorded: "\(kept.count) bytes",
      now: "\(now.count) bytes",
      read: others.sorted(),
    )
    do throws(CodecError) {
      let place = try GenericValue(encoded: now)
        .firstDifference(from: try GenericValue(encoded: kept))
      guard let place else { return difference }
      (difference.path, difference.recorded, difference.now) =
        (place.path, place.theirs, place.ours)
    } catch {
      difference.now += ", which cannot be read: \(error)"
    }
    return difference
  }

  // MARK: Names

  /// The cause of a revision, for people.
  private func cause(of record: JournalRecord) -> String {
    switch record.origin {
    case .daemon: "the end of effects"
    case .session(.joined(let info)): "session \(info.id) joined"
    case .session(.left(let info)): "session \(info.id) left"
    case .restored: "a restart"
    case .internal(let action): action.name
    case .client(let action): "\(name(of: action)) to \(action.scope)"
    }
  }

  private func name(of action: JournalRecord.ClientAction) -> String {
    ActionName.read(action.action[...]) ?? "an action"
  }

  /// The cause of a revision, the same for all causes of a kind.
  private func kind(of record: JournalRecord) -> String {
    switch record.origin {
    case .daemon, .restored: cause(of: record)
    case .session(.joined): "a session joined"
    case .session(.left): "a session left"
    case .internal(let action): action.name.withoutIDs
    case .client(let action):
      "\(name(of: action)) to "
        + (exposed.map(\.description).find(action.scope)?.description.pattern
          ?? action.scope.withoutRow)
    }
  }
}

extension String {
  /// The name of an unknown scope, without its last part, which may be a row's id.
  fileprivate var withoutRow: String {
    lastIndex(of: "/").map { "\(self[..<$0])/…" } ?? self
  }

  /// The names of cases without the ids in brackets between them.
  fileprivate var withoutIDs: String {
    var text = ""
    var depth = 0
    for character in self {
      switch character {
      case "[": depth += 1
      case "]" where depth > 0: depth -= 1
      default: if depth == 0 { text.append(character) }
      }
    }
    return text
  }
}
