import StoreHistory
import StoreServer
import StoreState

/// A disk that outlives its daemons, with its faults.
///
/// The world decides when it is full, fails, tears, decays or loses an answer. Chance decides
/// whether a batch that is under way when its daemon ends is kept, torn or lost. Several daemons
/// may have it open; it accepts writes only from the last one.
@MainActor
final class SimulatedDisk {
  /// A batch as the disk stores it.
  fileprivate struct Row: Equatable {
    var revisions: ClosedRange<UInt64>
    var bytes: [UInt8]
    var sessionNumbers: UInt64
    var sum: UInt64

    init(_ batch: JournalBatch) {
      revisions = batch.revisions
      bytes = batch.records
      sessionNumbers = batch.sessionNumbers
      sum = SipHash24.hash(batch.records[...])
    }

    var isWhole: Bool { SipHash24.hash(bytes[...]) == sum }
  }

  private struct Snapshot {
    var revision: UInt64
    var bytes: [UInt8]
    var sum: UInt64
    /// The number of its history.
    var history: UInt64
  }

  /// The reason for which a daemon cannot start from the disk.
  struct Damage: Error, CustomStringConvertible {
    var description: String
  }

  fileprivate unowned let world: World
  private var generator: SeededGenerator
  /// The epoch of the disk's history; nil before there is one.
  private(set) var epoch: UInt64?
  private var rows: [Row] = []
  /// The first revision of a readable row that is only in the cache: its sync has failed.
  private var unwritten: UInt64?
  /// Oldest first.
  private var snapshots: [Snapshot] = []
  /// A snapshot of another history that a fault has added; nil without one.
  private var foreign: Snapshot?
  private var history: UInt64 = 1
  private var busyUntil: Int64 = 0
  var isFull = false
  /// Whether the next sync fails.
  var failsNext = false
  /// Whether the answer for the next batch is lost.
  var losesNextAnswer = false
  /// Each daemon that opens the disk raises the term by one.
  private var term = 0
  /// The time at which the last daemon opened the disk.
  private var openedAt: Int64 = 0

  init(_ world: World, generator: SeededGenerator) {
    self.world = world
    self.generator = generator
  }

  // MARK: Daemon requests

  /// Opens the disk for a daemon; later calls fence this one.
  func open() -> SimulatedJournal {
    term += 1
    openedAt = world.clock.now
    return SimulatedJournal(self, term: term)
  }

  /// The result for a daemon after another one has opened the disk; nil without another one.
  fileprivate func fence(_ journal: SimulatedJournal) -> JournalResult? {
    guard journal.term != term, world.options.planted != .unfencedWriters else { return nil }
    // A cache shows the seal only when it is read again.
    let isFresh = world.clock.now < openedAt + 600_000_000
    if isFresh, world.options.planted == .cachedSeals { return nil }
    return .fenced("term \(term) follows \(journal.term)")
  }

  fileprivate func append(_ batch: JournalBatch, _ journal: SimulatedJournal) {
    let row = Row(batch)
    journal.underWay = row
    let through = batch.revisions.upperBound
    let isHasty = world.options.planted == .hastyCommits
    let time = generator.duration(world.isHealed ? .zero ... .milliseconds(1) : commitDuration)
    // Batches are written one after the other, even if more are under way than the disk admits.
    busyUntil = max(busyUntil, world.clock.now + time)
    if isHasty {
      world.clock.after(0) { journal.finish(.durable(through: through)) }
    }
    world.clock.at(busyUntil) { [unowned self] in
      guard !journal.isOver else { return }
      journal.underWay = nil
      if let fenced = fence(journal) { return journal.finish(fenced) }
      if failsNext {
        failsNext = false
        world.trace("a sync fails")
        // The amount that reached the disk is unknown to every daemon.
        if leave(row) { unwritten = row.revisions.lowerBound }
        return journal.finish(.failed("the disk is broken"))
      }
      if isFull, !isHasty { return journal.finish(.retryLater("the disk is full")) }
      // An earlier attempt whose answer was lost may have written it.
      if rows.last != row || world.options.planted == .repeatedBatches { rows.append(row) }
      if isHasty { return }
      if losesNextAnswer {
        losesNextAnswer = false
        return journal.finish(.retryLater("the answer is lost"))
      }
      journal.finish(.durable(through: through))
    }
  }

  private var commitDuration: ClosedRange<Duration> { .zero...world.options.disk.commit }

  fileprivate func store(_ snapshot: JournalSnapshot, _ journal: SimulatedJournal) {
    let bytes = snapshot.encoded()
    world.clock.after(generator.duration(commitDuration)) { [unowned self] in
      guard !journal.isOver else { return }
      if let fenced = fence(journal) { return journal.finish(fenced) }
      if isFull { return journal.finish(.snapshot(problem: "the disk is full")) }
      keep(bytes, of: snapshot.revision)
      journal.finish(.snapshot(problem: nil))
    }
  }

  /// Keeps the two newest snapshots, and removes the rows that both of them include.
  private func keep(_ bytes: [UInt8], of revision: UInt64) {
    let sum = SipHash24.hash(bytes[...])
    snapshots.append(Snapshot(revision: revision, bytes: bytes, sum: sum, history: history))
    guard snapshots.count > 2 else { return }
    snapshots.removeFirst()
    rows.removeAll { $0.revisions.upperBound <= snapshots[0].revision }
  }

  // MARK: Failures

  /// Ends a daemon's use of the disk and decides the fate of its batch under way.
  func close(_ journal: SimulatedJournal) {
    journal.isOver = true
    // A batch of an outdated daemon is dropped.
    guard journal.term == term else { return }
    busyUntil = 0
    guard let row = journal.underWay else { return }
    // With this fault, the batches before it may be lost too.
    if world.options.planted != .hastyCommits { leave(row) }
  }

  /// Keeps, tears or drops a row that was written but not synced.
  ///
  /// - Returns: Whether a part of the row is on the disk that was not there before.
  @discardableResult
  private func leave(_ row: Row) -> Bool {
    // An earlier attempt whose answer was lost may have written it.
    if rows.last == row { return false }
    switch generator.number(0...2) {
    case 0: rows.append(row)
    case 1:
      var torn = row
      torn.bytes = Array(row.bytes.prefix(generator.number(0...row.bytes.count)))
      rows.append(torn)
    default: return false
    }
    return true
  }

  /// With probability 1/2 the machine fails with its daemon: rows only in the cache are lost.
  func mayLosePower() {
    guard let first = unwritten, generator.number(0...1) == 0 else { return }
    world.trace("the machine fails, and revision \(first) is lost")
    rows.removeAll { $0.revisions.lowerBound == first }
    unwritten = nil
  }

  /// Adds the first snapshot of another history under the name of the newest revision.
  func addForeignSnapshot() throws {
    let recovery = Recovery(Self.form, initial: Board.State(), limits: world.options.limits)
    try recovery.written(by: Self.form.schema)
    let bytes = recovery.finish().snapshot(Self.form)
    foreign = Snapshot(
      revision: max(newest, rows.last?.revisions.upperBound ?? 0),
      bytes: bytes,
      sum: SipHash24.hash(bytes[...]),
      history: history + 1,
    )
  }

  /// Flips a bit of a kept row.
  ///
  /// - Returns: A description and the repair; nil without a row whose damage is detectable.
  func damage() -> (what: String, repair: () -> Void)? {
    let needed = rows.indices.filter { rows[$0].revisions.upperBound > newest }
    // The last row is left out: if it is torn, recovery drops it.
    guard let index = needed.dropLast().randomElement(using: &generator) else { return nil }
    let place = generator.number(0...(rows[index].bytes.count - 1))
    let bit = UInt8(1) << UInt8(generator.number(0...7))
    rows[index].bytes[place] ^= bit
    return (
      "revision \(rows[index].revisions.lowerBound) at byte \(place)",
      { [self] in rows[index].bytes[place] ^= bit },
    )
  }

  /// Drops the snapshot of another history, or otherwise the last row.
  ///
  /// - Returns: False if there is neither.
  func dropNewest() -> Bool {
    if foreign == nil { return rows.popLast() != nil }
    foreign = nil
    return true
  }

  private var newest: UInt64 { snapshots.last?.revision ?? 0 }

  /// Flips a bit of the newest snapshot for good, if an older snapshot exists.
  func damageSnapshot() {
    guard snapshots.count > 1, let last = snapshots.indices.last else { return }
    snapshots[last].bytes[generator.number(0...(snapshots[last].bytes.count - 1))] ^= 1
  }

  // MARK: Recovery

  /// Recovers the state from snapshots and rows.
  ///
  /// - Parameters:
  ///   - initial: The state of an empty disk.
  ///   - newEpoch: The epoch of a new history.
  /// - Returns: The recovered history.
  /// - Throws: ``Damage``, or a `CodecError`.
  func recover(
    initial: Board.State,
    epoch newEpoch: UInt64,
  ) throws -> Recovered<Board.State> {
    let form = Self.form
    let recovery = Recovery(form, initial: initial, limits: world.options.limits)
    try recovery.written(by: form.schema)
    if rows.last?.isWhole == false { rows.removeLast() }
    if epoch == nil {
      epoch = newEpoch
      let recovered = recovery.finish()
      keep(recovered.snapshot(form), of: 0)
      return recovered
    }
    while let last = snapshots.last, SipHash24.hash(last.bytes[...]) != last.sum {
      snapshots.removeLast()
    }
    if world.options.planted == .cutTails { _ = rows.popLast() }
    let known = (snapshots + [foreign].compactMap { $0 }).filter {
      $0.history == history || world.options.planted == .foreignSnapshots
    }
    guard let snapshot = known.last else { throw Damage(description: "no snapshot is good") }
    try recovery.take(snapshot: snapshot.bytes[...])
    for row in rows where row.revisions.upperBound > snapshot.revision {
      guard row.isWhole || world.options.planted == .uncheckedRecords else {
        throw Damage(description: "revisions \(row.revisions) are damaged")
      }
      try recovery.take(records: tampered(row.bytes)[...])
      recovery.take(sessionNumbers: row.sessionNumbers)
    }
    // Recovery writes the rows again from which the history continues.
    if world.options.planted != .unwrittenEnds { unwritten = nil }
    return recovery.finish()
  }

  /// The form in which the board is kept.
  static var form: DurableForm<Board.State> { DurableForm(Board.State.self) }

  /// Removes origins from records if a planted fault demands it.
  private func tampered(_ bytes: [UInt8]) throws -> [UInt8] {
    let planted = world.options.planted
    guard planted == .forgottenOutcomes || planted == .forgottenSessions else { return bytes }
    var decoder = CBORDecoder(bytes)
    var encoder = CBOREncoder.durable
    while decoder.offset < bytes.endIndex {
      var record = try JournalRecord(from: &decoder)
      switch record.origin {
      case .client where planted == .forgottenOutcomes: record.origin = .daemon
      case .session where planted == .forgottenSessions: record.origin = .daemon
      default: break
      }
      record.encode(to: &encoder)
    }
    return encoder.bytes
  }
}

/// One daemon's access to a disk.
@MainActor
final class SimulatedJournal: Journal {
  private let disk: SimulatedDisk
  fileprivate let term: Int
  /// The batch that is under way and not yet reported as durable.
  fileprivate var underWay: SimulatedDisk.Row?
  /// Whether its daemon has ended: later results are dropped.
  fileprivate var isOver = false
  var onResult: (JournalResult) -> Void = { _ in }

  fileprivate init(_ disk: SimulatedDisk, term: Int) {
    self.disk = disk
    self.term = term
  }

  /// Succeeds at once unless fenced: older copies of a simulated disk are never restored.
  func renew(epoch: UInt64) { finish(disk.fence(self) ?? .renewed(epoch: epoch)) }

  func append(_ batch: JournalBatch) { disk.append(batch, self) }

  /// True for every third call while a batch is under way, as on a disk as quick as a reducer.
  var hasResult: Bool {
    guard underWay != nil else { return false }
    looks += 1
    guard looks.isMultiple(of: 3) else { return false }
    disk.world.history.counters["pauses", default: 0] += 1
    return true
  }

  private var looks = 0

  func store(_ snapshot: JournalSnapshot) { disk.store(snapshot, self) }

  /// Reports a result to the daemon, unless the daemon has ended.
  fileprivate func finish(_ result: JournalResult) { if !isOver { onResult(result) } }
}
