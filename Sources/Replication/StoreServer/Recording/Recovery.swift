package import StoreActor
package import StoreBytes
package import StoreHistory
package import StoreProtocol
import StoreState

/// Restores a root from a journal: the newest snapshot, then the records after it.
///
/// Records are applied as deltas; no reducer runs.
@MainActor
package final class Recovery<Root: Sendable> {
  private var reader: DurableReader<Root>
  private let limits: Limits
  /// The daemon's user; nil for a daemon without an owner.
  private let owner: UInt32?
  /// The newest revision so far.
  package private(set) var revision: UInt64
  private var root: Root
  private(set) var versions: VersionRing<Root>
  /// Bounded by ``Limits/clients``.
  private var clients: [Identifier: Client] = [:]
  /// The number of all clients' outcomes, and their bytes in memory.
  private var (outcomeCount, outcomeBytes) = (0, 0)
  private var nextPlace = 0
  private var history = KeptHistory()
  /// Whether the journal was empty.
  private var isNew = true

  /// The outcomes that a client was sent.
  ///
  /// An object, so that its outcomes are not copied for each action.
  private final class Client {
    /// The last sequence that was decided.
    var last: UInt64
    /// Bounded by ``Limits/outcomes``.
    var outcomes: [Outcome]
    /// The client's holder.
    var holder = ClientHolder.unknown
    /// The client's rank by its last action: the most recent sender has the greatest.
    var place: Int

    init(last: UInt64, outcomes: [Outcome], place: Int) {
      self.last = last
      self.outcomes = outcomes
      self.place = place
    }
  }

  /// Creates a recovery that has read no part of the journal.
  ///
  /// - Parameters:
  ///   - form: The root's durable form.
  ///   - initial: The root if the journal has no snapshot.
  ///   - revision: The revision of the initial root.
  ///   - limits: How many versions and outcomes are kept.
  ///   - owner: The daemon's user, whose clients have a reserve; nil for a daemon without an owner.
  package init(
    _ form: DurableForm<Root>,
    initial: Root,
    revision: UInt64 = 0,
    limits: Limits = Limits(),
    owner: UInt32? = nil,
  ) {
    reader = DurableReader(form)
    self.limits = limits
    self.owner = owner
    self.revision = revision
    root = initial
    versions = VersionRing(limit: limits.versions, bytes: limits.versionBytes, revision: revision)
  }

  /// Sets the schema of the build that wrote the data that follows.
  ///
  /// - Parameter schema: The schema of the root's durable form in that build.
  /// - Throws: A `CodecError` that names the differences when this program cannot read it.
  package func written(by schema: SchemaDocument) throws(CodecError) {
    try reader.expect(schema)
  }

  /// Takes a snapshot, which precedes all records, and replaces everything that was taken before.
  package func take(snapshot bytes: ArraySlice<UInt8>) throws(CodecError) {
    let (revision, history, item) = try SnapshotBytes.decode(bytes)
    root = try reader.root(item)
    self.revision = revision
    self.history = history
    isNew = false
    (clients, nextPlace, outcomeCount, outcomeBytes) = ([:], 0, 0, 0)
    for known in history.clients {
      let client = client(known.id, last: known.last)
      add(known.outcomes, to: client)
      client.holder = known.holder
    }
    versions = VersionRing(limit: limits.versions, bytes: limits.versionBytes, revision: revision)
    versions.hold()
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
    // Clients of a new history have no earlier session.
    if isNew { versions.hold() }
    isNew = false
    history.note(record.details, of: record.origin)
    // A forgotten client may have returned since, and sent this action.
    if !record.details.hasNoFacts {
      for client in record.details.forgotten { forget(client) }
      for action in record.details.refused where !action.isForgotten {
        let client = client(action.client, last: action.sequence - 1)
        client.holder = action.identity.holder
        note(.failed(action.failure), of: action.sequence, client: client)
      }
    }
    guard case .client(let action) = record.origin else { return }
    let client = client(action.client, last: action.sequence - 1)
    client.holder = action.identity.holder
    // The daemon had dropped the client's outcomes, and reduced the action again.
    if action.sequence <= client.last {
      dropOldest(client.outcomes.count, of: client)
      client.last = action.sequence - 1
    }
    let outcome: Outcome =
      if let reply = record.details.reply {
        .replied(.init(revision: record.revision, hasEffects: false, value: reply.value))
      } else {
        .applied(revision: record.revision, hasEffects: false)
      }
    note(outcome, of: action.sequence, client: client)
  }

  private func note(_ outcome: Outcome, of sequence: UInt64, client: Client) {
    // The client was sent this outcome already, if the record before this one has it.
    guard sequence > client.last else { return }
    if sequence > client.last + 1 {
      // A gap in the sequence stands for refused actions, which leave no record.
      let refusal = Outcome.Failure(
        code: Outcome.rejected,
        message: "It was refused before the daemon was started again; why is not kept.",
      )
      let count = min(Int(clamping: sequence - client.last - 1), limits.outcomesPerClient)
      add(repeatElement(.failed(refusal), count: count), to: client)
    }
    add(CollectionOfOne(outcome), to: client)
    client.last = sequence
    if client.outcomes.count >= 2 * limits.outcomesPerClient {
      dropOldest(client.outcomes.count - limits.outcomesPerClient, of: client)
    }
    if outcomeCount > 2 * limits.outcomes || outcomeBytes > 2 * limits.outcomeBytes { makeRoom() }
  }

  private func add(_ outcomes: some Collection<Outcome>, to client: Client) {
    client.outcomes += outcomes
    outcomeCount += outcomes.count
    for outcome in outcomes { outcomeBytes += outcome.keptBytes }
  }

  private func dropOldest(_ count: Int, of client: Client) {
    for outcome in client.outcomes.prefix(count) { outcomeBytes -= outcome.keptBytes }
    outcomeCount -= count
    client.outcomes.removeFirst(count)
  }

  private func replace(with outcomes: [Outcome], of client: Client) {
    dropOldest(client.outcomes.count, of: client)
    add(outcomes, to: client)
  }

  /// Returns a client, as the most recent sender.
  ///
  /// An unknown client is created with the last decided sequence.
  private func client(_ id: Identifier, last: UInt64) -> Client {
    nextPlace += 1
    if let known = clients[id] {
      known.place = nextPlace
      return known
    }
    let new = Client(last: last, outcomes: [], place: nextPlace)
    clients[id] = new
    return new
  }

  private func forget(_ client: Identifier) {
    guard let known = clients.removeValue(forKey: client) else { return }
    dropOldest(known.outcomes.count, of: known)
  }

  /// If there are more than a daemon keeps, drops the clients that were absent the longest, and old
  /// outcomes, of the holders with the most of them.
  private func makeRoom() {
    if clients.count > limits.clients {
      let holders = Dictionary(grouping: clients) { $0.value.holder }
      let shares = KeptHistory.shares(
        of: holders.mapValues(\.count),
        within: limits.clients,
        reserve: OwnersReserve(amount: limits.clientsOfOwner, owner: owner),
      )
      for (holder, clients) in holders {
        guard let most = shares[holder], clients.count > most else { continue }
        let sorted = clients.sorted { $0.value.place < $1.value.place }
        for (client, _) in sorted.dropLast(most) { forget(client) }
      }
    }
    let counts = clients.values.map {
      ($0.holder, min($0.outcomes.count, limits.outcomesPerClient))
    }
    let each = KeptHistory.outcomesEach(
      of: counts,
      within: limits.outcomes,
      reserve: OwnersReserve(amount: limits.outcomesOfOwner, owner: owner),
    )
    for client in clients.values {
      let most = min(each[client.holder] ?? 0, limits.outcomesPerClient)
      dropOldest(max(0, client.outcomes.count - most), of: client)
    }
    if outcomeBytes > limits.outcomeBytes { makeRoomForBytes() }
  }

  /// Drops old outcomes whose bytes exceed the limit, of the holders with the most bytes.
  private func makeRoomForBytes() {
    let newest = clients.values.compactMap { client in
      client.outcomes.last.map {
        (holder: client.holder, bytes: $0.keptBytes, bare: $0.withoutValue.keptBytes)
      }
    }
    let holders = KeptHistory.holdersLosingValues(
      of: newest,
      within: limits.outcomeBytes - limits.outcomeBytesOfOwner,
    )
    for client in clients.values where holders.contains(client.holder) {
      replace(with: client.outcomes.map(\.withoutValue), of: client)
    }
    let each = KeptHistory.olderEach(
      of: clients.values.map { client in
        let newest = client.outcomes.last?.keptBytes ?? 0
        let bytes = client.outcomes.reduce(0) { $0 + $1.keptBytes }
        return (holder: client.holder, newest: newest, older: bytes - newest)
      },
      within: limits.outcomeBytes,
      reserve: OwnersReserve(amount: limits.outcomeBytesOfOwner, owner: owner),
    )
    for client in clients.values {
      let most = each[client.holder] ?? 0
      replace(with: client.outcomes.keeping(olderBytes: most, atLeast: 1), of: client)
    }
  }

  /// Raises the high-water mark of session numbers.
  package func take(sessionNumbers: UInt64) {
    history.sessionNumbers = max(history.sessionNumbers, sessionNumbers)
  }

  /// Returns the restored root and its history.
  ///
  /// - Parameter wasStopped: Whether the previous daemon has noted its end.
  /// - Returns: The contents of the journal.
  package func finish(wasStopped: Bool = false) -> Recovered<Root> {
    makeRoom()
    var restoration = history.restoration(wasStopped: wasStopped)
    restoration.isFirst = revision == 0
    history.clients = clients.sorted { $0.value.place < $1.value.place }
      .map {
        KeptHistory.Client(id: $0, last: $1.last, outcomes: $1.outcomes, holder: $1.holder)
      }
    return Recovered(
      root: root,
      revision: revision,
      versions: versions,
      history: history,
      restoration: isNew ? nil : restoration,
      sessionNumbers: history.sessionNumbers(with: limits),
    )
  }
}

/// The root and the history from a journal.
@MainActor
package struct Recovered<Root: Sendable> {
  package let root: Root
  package let revision: UInt64
  let versions: VersionRing<Root>
  package let history: KeptHistory
  /// The restoration that the reducer receives first; nil if the journal was empty.
  package var restoration: Restoration?
  /// The greatest session number that is reserved without a further record.
  fileprivate let sessionNumbers: UInt64

  /// The first snapshot of an empty journal, which needs one because records contain only changes.
  package func snapshot(_ form: DurableForm<Root>) -> [UInt8] {
    var history = history
    history.sessionNumbers = sessionNumbers
    return SnapshotBytes.encode(revision: revision, history) { form.encode(root, &$0) }
  }
}
