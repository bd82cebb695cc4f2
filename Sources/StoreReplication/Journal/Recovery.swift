package import StoreActor
package import StoreState

/// Brings a root back from what a journal has of it: the newest snapshot, then the records since.
///
/// Records are applied as deltas; no reducer runs.
@MainActor
package final class Recovery<Root: Sendable> {
  private var reader: DurableReader<Root>
  private let limits: Limits
  /// The newest revision so far.
  package private(set) var revision: UInt64
  private var root: Root
  private(set) var versions: VersionRing<Root>
  private var outcomes: [Identifier: (last: UInt64, outcomes: [Outcome])] = [:]
  /// How many there are in all.
  private var outcomeCount = 0
  /// Clients by when they sent last.
  private var order: [Identifier: Int] = [:]
  private var nextPlace = 0
  private var history = KeptHistory()
  /// Whether there was nothing.
  private var isNew = true

  /// A root of which nothing is known yet.
  ///
  /// - Parameters:
  ///   - form: How the root is kept.
  ///   - initial: The root where no snapshot says otherwise.
  ///   - revision: Its revision.
  ///   - limits: How many versions and outcomes are kept.
  package init(
    _ form: DurableForm<Root>,
    initial: Root,
    revision: UInt64 = 0,
    limits: Limits = Limits(),
  ) {
    reader = DurableReader(form)
    self.limits = limits
    self.revision = revision
    root = initial
    versions = VersionRing(limit: limits.versions, bytes: limits.versionBytes, revision: revision)
  }

  /// What follows was written by a build.
  ///
  /// - Parameter schema: The schema of the root's durable form in that build.
  /// - Throws: A `CodecError` that names the differences when this program cannot read it.
  package func written(by schema: SchemaDocument) throws(CodecError) {
    try reader.expect(schema)
  }

  /// Takes a snapshot, which comes before all records.
  package func take(snapshot bytes: ArraySlice<UInt8>) throws(CodecError) {
    let (revision, history, item) = try SnapshotBytes.decode(bytes)
    root = try reader.root(item)
    self.revision = revision
    self.history = history
    isNew = false
    for client in history.clients {
      outcomes[client.id] = (client.last, client.outcomes)
      outcomeCount += client.outcomes.count
      note(client.id)
    }
    versions = VersionRing(limit: limits.versions, bytes: limits.versionBytes, revision: revision)
  }

  /// Takes the records of consecutive revisions.
  package func take(records bytes: ArraySlice<UInt8>) throws(CodecError) {
    var decoder = CBORDecoder(bytes)
    while decoder.offset < bytes.endIndex { try take(try JournalRecord(from: &decoder)) }
  }

  private func take(_ record: JournalRecord) throws(CodecError) {
    guard record.revision == revision + 1 else {
      throw CodecError(
        .deltaMismatch,
        "a record of revision \(record.revision) follows revision \(revision)",
      )
    }
    if let delta = record.delta {
      let old = root
      try reader.apply(delta, to: &root)
      versions.append(old, revision: revision, changed: delta.count)
    } else {
      versions.append(root, revision: revision, changed: 0)
    }
    revision = record.revision
    isNew = false
    history.note(record.details, of: record.origin)
    // One of them may have come back since, and sent this.
    for client in record.details.forgotten { forget(client) }
    guard case .client(let action) = record.origin else { return }
    guard action.sequence >= 1, action.sequence <= ActionLog.greatestSequence else {
      throw CodecError(.typeMismatch, "an action cannot have the sequence \(action.sequence)")
    }
    note(action, appliedAt: record.revision)
  }

  private func note(_ action: JournalRecord.ClientAction, appliedAt revision: UInt64) {
    // Taken out, so that it is not copied for each action.
    var (last, outcomes) =
      outcomes.removeValue(forKey: action.client) ?? (action.sequence - 1, [])
    outcomeCount -= outcomes.count
    if action.sequence > last + 1 {
      // What was refused left no record, and comes between two that were not.
      let refusal = Outcome.Failure(
        code: Outcome.rejected,
        message: "It was refused before the daemon was started again; why is not kept.",
      )
      let count = Int(clamping: action.sequence - last - 1)
      outcomes += repeatElement(.failed(refusal), count: min(count, limits.outcomesPerClient))
    }
    outcomes.append(.applied(revision: revision, hasEffects: false))
    last = max(last, action.sequence)
    if outcomes.count >= 2 * limits.outcomesPerClient {
      outcomes.removeFirst(outcomes.count - limits.outcomesPerClient)
    }
    self.outcomes[action.client] = (last, outcomes)
    outcomeCount += outcomes.count
    note(action.client)
    if outcomeCount > 2 * limits.outcomes { makeRoom() }
  }

  private func forget(_ client: Identifier) {
    order[client] = nil
    outcomeCount -= outcomes.removeValue(forKey: client)?.outcomes.count ?? 0
  }

  /// Lets go of the clients that were away the longest, and of old outcomes, where there are more
  /// than a daemon keeps.
  private func makeRoom() {
    let strangers = outcomes.keys.sorted { order[$0] ?? 0 < order[$1] ?? 0 }
      .dropLast(limits.clients)
    for client in strangers { forget(client) }
    let counts = outcomes.values.map { min($0.outcomes.count, limits.outcomesPerClient) }
    let each = KeptHistory.outcomesEach(of: counts, within: limits.outcomes)
    let most = min(each, limits.outcomesPerClient)
    outcomes = outcomes.mapValues { ($0.last, Array($0.outcomes.suffix(most))) }
    outcomeCount = outcomes.values.reduce(0) { $0 + $1.outcomes.count }
  }

  private func note(_ client: Identifier) {
    order[client] = nextPlace
    nextPlace += 1
  }

  /// Notes that sessions had numbers up to this one.
  package func take(sessionNumbers: UInt64) {
    history.sessionNumbers = max(history.sessionNumbers, sessionNumbers)
  }

  /// The root as it was, and all that has to be known besides.
  ///
  /// - Parameter wasStopped: Whether the daemon that ran before has said that it ends.
  /// - Returns: What the journal had.
  package func finish(wasStopped: Bool = false) -> Recovered<Root> {
    makeRoom()
    history.clients = outcomes.sorted { order[$0.key] ?? 0 < order[$1.key] ?? 0 }
      .map { KeptHistory.Client(id: $0, last: $1.last, outcomes: $1.outcomes) }
    return Recovered(
      root: root,
      revision: revision,
      versions: versions,
      history: history,
      restoration: isNew ? nil : history.restoration(wasStopped: wasStopped),
    )
  }
}

/// What a journal had of a root.
@MainActor
package struct Recovered<Root: Sendable> {
  package let root: Root
  package let revision: UInt64
  let versions: VersionRing<Root>
  package let history: KeptHistory
  /// What the reducer is to be told first; nil where the journal had nothing.
  package let restoration: Restoration?

  /// What a journal begins with, where it had nothing: records say only what changed.
  package func snapshot(_ form: DurableForm<Root>) -> [UInt8] {
    SnapshotBytes.encode(revision: revision, history) { form.encode(root, &$0) }
  }
}
