import StoreHistory
import StoreServer
import StoreState

/// A disk that outlives its daemons: what it was told to keep, and what can become of that.
///
/// It moves bytes, takes its time, and is full, fails, tears and rots when the world says so, and
/// answers of it get lost. What a batch says that is under way when its daemon ends is kept, torn
/// or gone, as chance has it. Several daemons may have it open; it listens to the last one.
@MainActor
final class SimulatedDisk {
  /// A batch as it stands on the disk.
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
    /// The number of the history that it is of.
    var history: UInt64
  }

  /// Why a daemon cannot start from it.
  struct Damage: Error, CustomStringConvertible {
    var description: String
  }

  fileprivate unowned let world: World
  private var generator: SeededGenerator
  /// Of the history that it has; nil before there is one.
  private(set) var epoch: UInt64?
  private var rows: [Row] = []
  /// The first revision of a row that can be read and is only in the cache: its sync has failed.
  private var unwritten: UInt64?
  /// Oldest first.
  private var snapshots: [Snapshot] = []
  /// One that somebody has put there; nil for none.
  private var foreign: Snapshot?
  private var history: UInt64 = 1
  private var busyUntil: Int64 = 0
  var isFull = false
  /// Whether the next sync fails.
  var failsNext = false
  /// Whether nobody hears that the next batch is kept.
  var losesNextAnswer = false
  /// Whoever opens it raises it by one.
  private var term = 0
  /// Since when it listens to the last one.
  private var openedAt: Int64 = 0

  init(_ world: World, generator: SeededGenerator) {
    self.world = world
    self.generator = generator
  }

  // MARK: What a daemon asks

  /// The disk as one daemon has it.
  func open() -> SimulatedJournal {
    term += 1
    openedAt = world.clock.now
    return SimulatedJournal(self, term: term)
  }

  /// What a daemon is told after whom another one has opened the disk; nil where none has.
  fileprivate func fence(_ journal: SimulatedJournal) -> JournalResult? {
    guard journal.term != term, world.options.planted != .unfencedWriters else { return nil }
    // A cache shows the seal when it is read again.
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
    // One after the other, also where more are under way than it admits.
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
        // What the disk has of it nobody knows.
        if leave(row) { unwritten = row.revisions.lowerBound }
        return journal.finish(.failed("the disk is broken"))
      }
      if isFull, !isHasty { return journal.finish(.retryLater("the disk is full")) }
      // It may be there already, and nobody knew.
      if rows.last != row || world.options.planted == .repeatedBatches { rows.append(row) }
      if isHasty { return }
      if losesNextAnswer {
        losesNextAnswer = false
        return journal.finish(.retryLater("no answer came"))
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

  /// Keeps a snapshot; what two snapshots stand for goes.
  private func keep(_ bytes: [UInt8], of revision: UInt64) {
    let sum = SipHash24.hash(bytes[...])
    snapshots.append(Snapshot(revision: revision, bytes: bytes, sum: sum, history: history))
    guard snapshots.count > 2 else { return }
    snapshots.removeFirst()
    rows.removeAll { $0.revisions.upperBound <= snapshots[0].revision }
  }

  // MARK: What happens to it

  /// A daemon has ended, in whatever way: what was under way is decided.
  func close(_ journal: SimulatedJournal) {
    journal.isOver = true
    // What an outdated one has under way comes to nothing.
    guard journal.term == term else { return }
    busyUntil = 0
    guard let row = journal.underWay else { return }
    // Of those before it nothing is there either.
    if world.options.planted != .hastyCommits { leave(row) }
  }

  /// What was written and not synced: there, torn, or gone.
  ///
  /// - Returns: Whether there is some of it that was not there before.
  @discardableResult
  private func leave(_ row: Row) -> Bool {
    // It may be there from before, when nobody heard of it.
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

  /// Now and then the machine goes down with its daemon: what only the cache has is gone.
  func mayLosePower() {
    guard let first = unwritten, generator.number(0...1) == 0 else { return }
    world.trace("the machine goes down, and revision \(first) is gone")
    rows.removeAll { $0.revisions.lowerBound == first }
    unwritten = nil
  }

  /// Puts the first snapshot of another history there, under the name of the newest revision.
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

  /// Changes a bit of what was kept, and says how to change it back.
  ///
  /// - Returns: Nil where there is nothing whose damage could be told.
  func damage() -> (what: String, repair: () -> Void)? {
    let needed = rows.indices.filter { rows[$0].revisions.upperBound > newest }
    // The last row may be torn, and goes then.
    guard let index = needed.dropLast().randomElement(using: &generator) else { return nil }
    let place = generator.number(0...(rows[index].bytes.count - 1))
    let bit = UInt8(1) << UInt8(generator.number(0...7))
    rows[index].bytes[place] ^= bit
    return (
      "revision \(rows[index].revisions.lowerBound) at byte \(place)",
      { [self] in rows[index].bytes[place] ^= bit },
    )
  }

  /// Gives up a snapshot of another history, or else the last row.
  ///
  /// - Returns: False where there is none.
  func dropNewest() -> Bool {
    if foreign == nil { return rows.popLast() != nil }
    foreign = nil
    return true
  }

  private var newest: UInt64 { snapshots.last?.revision ?? 0 }

  /// Changes a bit of the newest snapshot for good, where an older one is there.
  func damageSnapshot() {
    guard snapshots.count > 1, let last = snapshots.indices.last else { return }
    snapshots[last].bytes[generator.number(0...(snapshots[last].bytes.count - 1))] ^= 1
  }

  // MARK: Starting again

  /// Reads what it has.
  ///
  /// - Parameters:
  ///   - initial: The state where it has nothing.
  ///   - newEpoch: The epoch of a history that begins.
  /// - Returns: What it had.
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
    // What the history goes on from is written again.
    if world.options.planted != .unwrittenEnds { unwritten = nil }
    return recovery.finish()
  }

  /// The form in which the board is kept.
  static var form: DurableForm<Board.State> { DurableForm(Board.State.self) }

  /// Records as a planted fault has them read.
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

/// A disk as one daemon has it.
@MainActor
final class SimulatedJournal: Journal {
  private let disk: SimulatedDisk
  fileprivate let term: Int
  /// What is on its way, and is not said to be kept.
  fileprivate var underWay: SimulatedDisk.Row?
  /// Whether its daemon has ended: its calls come to nothing.
  fileprivate var isOver = false
  var onResult: (JournalResult) -> Void = { _ in }

  fileprivate init(_ disk: SimulatedDisk, term: Int) {
    self.disk = disk
    self.term = term
  }

  /// Nobody puts older copies back here.
  func renew(epoch: UInt64) { finish(disk.fence(self) ?? .renewed(epoch: epoch)) }

  func append(_ batch: JournalBatch) { disk.append(batch, self) }

  /// Now and then while something is on its way, as disks that are as quick as a reducer.
  var hasResult: Bool {
    guard underWay != nil else { return false }
    looks += 1
    guard looks.isMultiple(of: 3) else { return false }
    disk.world.history.counters["pauses", default: 0] += 1
    return true
  }

  private var looks = 0

  func store(_ snapshot: JournalSnapshot) { disk.store(snapshot, self) }

  /// Tells the daemon, unless it has ended meanwhile.
  fileprivate func finish(_ result: JournalResult) { if !isOver { onResult(result) } }
}
