import GenericState
import StoreActor
import StoreState
import Testing

@testable import StoreExposures
@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreServer

/// Schedules in a daemon with a journal.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct ServerScheduleTests {
  private typealias AlarmBench = BenchOf<Alarms.State, Alarms.Action>

  private let time = ManualTime()
  private let journal = BenchJournal()
  private static let form = DurableForm(Alarms.State.self)
  private static let exposures: [Expose<Alarms.State, Alarms.Action>] = [
    Expose("alarms", state: \.self, action: \.self)
  ]

  /// What a restarted daemon recovers, from the first batches or from all.
  private func recover(_ count: Int? = nil) throws -> Recovered<Alarms.State> {
    let recovery = Recovery(Self.form, initial: Alarms.State())
    try recovery.written(by: Self.form.schema)
    for batch in journal.batches.prefix(count ?? .max)
    where batch.revisions.lowerBound > recovery.revision {
      try recovery.take(records: batch.records[...])
    }
    return recovery.finish()
  }

  private func bench(
    _ recovered: Recovered<Alarms.State>? = nil,
    limits: Limits = Limits(),
    crashes: CrashNotes = CrashNotes(),
    isSafe: Bool = false,
    reducer: () -> some Reducer<Alarms.State, Alarms.Action> = { Alarms() },
  ) throws -> AlarmBench {
    var recovered = try recovered ?? recover(0)
    if isSafe { recovered.restoration = recovered.restoration?.heldBack }
    let root = RootCore(initialState: { Alarms.State() }, reducer: reducer)
    root.schedules.use(time.clock)
    root.restore(recovered.root, revision: recovered.revision)
    let recorder = Recorder(
      revision: root.revision,
      history: recovered.history,
      limits: limits,
    )
    let port = TypedRoot(
      root,
      exposures: Self.exposures,
      limits: limits,
      journal: RootJournal(Self.form, recorder: recorder),
      recovered: recovered,
      sessionAction: { _ in nil },
    )
    let bench = AlarmBench(
      root,
      port,
      recorder: recorder,
      journal: journal,
      epoch: 7,
      limits: limits,
      crashes: crashes,
    )
    bench.server.restore(recovered)
    bench.turn.end()
    try sync(bench)
    return bench
  }

  /// Makes all revisions durable.
  private func sync(_ bench: AlarmBench) throws {
    try bench.endTurn()
    while let last = journal.batches.last?.revisions.upperBound, last > bench.server.revision {
      bench.turn.finish(.durable(through: last))
      try bench.endTurn()
    }
  }

  private func schedule(_ bench: AlarmBench, _ action: Bell.Action) throws {
    bench.root.send(.bell(action))
    try sync(bench)
  }

  private var timers: [DurableTimer] {
    get throws { try recover().history.timers.sorted { $0.key < $1.key }.map(\.value) }
  }

  // MARK: The journal

  @Test func `A schedule waits only after its revision is durable`() throws {
    let bench = try bench()
    bench.root.send(.bell(.set("a", at: 1_000, missed: "once")))
    try bench.endTurn()
    time.advance(by: 10)
    #expect(bench.root.revision == 1)
    try sync(bench)
    time.advance(by: 0)
    #expect(bench.root.state.rang == ["a"])
  }

  @Test func `Its record, its snapshot and its firing are read back`() throws {
    let bench = try bench()
    bench.root.batch(as: ActionOrigin(identity: .key("laptop"), session: 9)) {
      bench.root.send(.bell(.setEach("a", seconds: 10, missed: "each")))
    }
    try sync(bench)
    let timer = try #require(try timers.first)
    #expect(timer.id == "a")
    #expect(timer.path == ["bell", "rang"])
    #expect(timer.due == 1_010)
    #expect(timer.interval == 10)
    #expect(timer.missed == .each)
    #expect(timer.origin == ActionOrigin(identity: .key("laptop"), session: 9))
    for record in try journal.records { #expect(try record.readBack() == record) }
    let history = try recover().history
    let bytes = SnapshotBytes.encode(revision: 5, history) {
      Self.form.encode(Alarms.State(), &$0)
    }
    #expect(try SnapshotBytes.decode(bytes[...]).history == history)
    time.advance(by: 10)
    try sync(bench)
    let record = try #require(try journal.records.last)
    #expect(record.details.fired?.due == 1_010)
    #expect(record.details.fired?.next == 1_020)
    #expect(try record.readBack() == record)
    guard case .internal(let action) = record.origin else {
      Issue.record("\(record.origin)")
      return
    }
    #expect(action.name == "bell.rang")
    #expect(action.cause == EffectCause(revision: 1, name: "a"))
    #expect(action.form != nil)
    #expect(try timers.map(\.due) == [1_020])
  }

  @Test func `A restarted daemon fires again what was not durable, and nothing else`() throws {
    let first = try bench()
    try schedule(first, .set("a", at: 1_010, missed: "once"))
    try schedule(first, .setEach("b", seconds: 20, missed: "once"))
    let before = journal.batches.count
    time.advance(by: 10)
    // The daemon ends before the disk has the firing.
    #expect(first.root.state.rang == ["a"])
    first.root.schedules.stop()
    let second = try bench(try recover(before))
    time.advance(by: 0)
    #expect(second.root.state.rang == ["a"])
    try sync(second)
    second.root.schedules.stop()
    let third = try bench(try recover())
    time.advance(by: 9)
    #expect(third.root.state.rang == ["a"])
    time.advance(by: 1)
    #expect(third.root.state.rang == ["a", "b"])
  }

  @Test func `A clock that was set back before a start delays an interval by at most one`() throws {
    let first = try bench()
    try schedule(first, .setEach("a", seconds: 1, missed: "once"))
    first.root.schedules.stop()
    time.set(by: -3_600)
    let second = try bench(try recover())
    time.advance(by: 1)
    #expect(second.root.state.rang == ["a"])
  }

  @Test func `A replay that begins at a snapshot knows the snapshot's schedules`() throws {
    let first = try bench()
    try schedule(first, .set("a", at: 5_000, missed: "once"))
    try schedule(first, .set("b", at: 5_000, missed: "once"))
    first.root.schedules.stop()
    let recovered = try recover()
    let snapshot = recovered.snapshot(Self.form)
    func reducer() -> some Reducer<Alarms.State, Alarms.Action> {
      Alarms().onStart { state, start in
        state.rang += ["a", "b", "c"].filter { start.hasSchedule($0) }
        return .none
      }
    }
    let second = try bench(recovered, reducer: reducer)
    #expect(second.root.state.rang == ["a", "b"])
    let history = BenchHistory(
      schema: Self.form.schema,
      snapshots: [recovered.revision: snapshot],
      batches: journal.batches,
    )
    func replay() -> Replay<Alarms.State, Alarms.Action> {
      Replay(
        RootCore(initialState: { Alarms.State() }, reducer: reducer),
        exposures: Self.exposures,
        form: Self.form,
        restoredAction: { _ in nil },
        sessionAction: { _ in nil },
      )
    }
    let report = try replay().run(history, 0 ... .max)
    #expect(report.difference == nil && report.unchecked.isEmpty, "\(report)")
    #expect(report.checked == 1)
    // An excerpt for a test has them, too.
    let excerpt = try replay().excerpt(history, 0 ... .max)
    let kept = try SnapshotBytes.decode(excerpt.snapshot.bytes[...]).history.timers
    #expect(kept.values.map(\.id).sorted() == ["a", "b"])
  }

  @Test func `A cancelled schedule does not return, also if no action follows`() throws {
    let first = try bench()
    try schedule(first, .set("a", at: 1_010, missed: "once"))
    let number = try #require(first.root.schedules.list.first?.number)
    #expect(first.port.cancelSchedule(number))
    try sync(first)
    #expect(try timers.isEmpty)
    let second = try bench(try recover())
    #expect(second.root.schedules.count == 0)
  }

  @Test func `A firing that the feature refuses does not return either`() throws {
    let bench = try bench()
    try schedule(bench, .set("refused once", at: 1_010, missed: "once"))
    try schedule(bench, .setEach("refused each", seconds: 10, missed: "once"))
    time.advance(by: 10)
    #expect(bench.root.revision == 2)
    try sync(bench)
    #expect(bench.root.state.rang.isEmpty)
    #expect(try timers.map(\.id) == ["refused each"])
    #expect(try timers.map(\.due) == [1_020])
    #expect(try journal.records.allSatisfy { $0.details.fired == nil })
  }

  @Test func `One that begins after an effect is recorded, and fires once`() async throws {
    let first = try bench()
    first.root.send(.afterEffect(at: 1_000))
    try sync(first)
    await eventually { first.root.schedules.count == 1 }
    time.advance(by: 0)
    #expect(first.root.state.rang == ["followed"])
    // One record has the beginning and the firing.
    try sync(first)
    #expect(try timers.isEmpty)
    first.root.send(.afterEffect(at: 9_000))
    try sync(first)
    await eventually { first.root.schedules.count == 1 }
    try sync(first)
    #expect(try timers.map(\.id) == ["after"])
  }

  @Test func `A safe start arms no schedule, and keeps all of them for the next start`() throws {
    let first = try bench()
    try schedule(first, .set("a", at: 1_010, missed: "once"))
    first.root.schedules.stop()
    let second = try bench(try recover(), isSafe: true)
    #expect(second.root.schedules.list.map(\.status) == [.heldBack])
    // Nothing has changed.
    #expect(second.root.revision == 1)
    time.advance(by: 20)
    #expect(second.root.state.rang.isEmpty)
    try schedule(second, .set("b", at: 1_100, missed: "once"))
    #expect(try timers.map(\.id) == ["a", "b"])
    second.root.schedules.stop()
    let third = try bench(try recover())
    time.advance(by: 0)
    #expect(third.root.state.rang == ["a"])
  }

  @Test func `A safe start keeps the schedules of children in their places`() throws {
    let first = try bench()
    first.root.send(.childToggled)
    for id in ["cancelled", "replaced", "removed"] {
      first.root.send(.child(.set(id, at: 1_010, missed: "once")))
    }
    try sync(first)
    first.root.schedules.stop()
    let second = try bench(try recover(), isSafe: true)
    #expect(second.root.schedules.list.map(\.status) == [.heldBack, .heldBack, .heldBack])
    second.root.send(.child(.cancelled("cancelled")))
    second.root.send(.child(.set("replaced", at: 1_020, missed: "once")))
    try sync(second)
    #expect(try timers.map(\.id).sorted() == ["removed", "replaced"])
    second.root.send(.childToggled)
    try sync(second)
    #expect(try timers.isEmpty)
    #expect(second.server.schedules.count == 0)
  }

  @Test func `A refused action that has scheduled is no reason for a record`() throws {
    var limits = Limits()
    limits.schedules = SharedLimit(all: 1, others: 1, holder: 1)
    let bench = try bench(limits: limits)
    // The second schedule exceeds the limit.
    bench.root.send(.twoSchedules)
    try sync(bench)
    #expect(bench.root.revision == 0)
    #expect(try journal.records.isEmpty)
    #expect(bench.server.schedules.count == 0)
  }

  @Test func `Effects of a firing belong to the daemon, and are counted`() async throws {
    let bench = try bench()
    bench.root.send(.bell(.set("works", at: 1_010, missed: "once")))
    try sync(bench)
    time.advance(by: 10)
    try sync(bench)
    #expect(bench.server.work.counts == ["works": 1])
    bench.root.cancelEffects()
    await eventually { bench.server.work.counts.isEmpty }
  }

  @Test func `A schedule that was firing at two crashes stays asleep until it is forgiven`()
    throws
  {
    var memory = CrashMemory()
    let first = try bench(crashes: memory.notes())
    try schedule(first, .setEach("a", seconds: 10, missed: "once"))
    let number = try #require(first.root.schedules.list.first?.number)
    first.root.schedules.stop()
    for _ in 1...2 {
      let crashing = try bench(try recover(), crashes: memory.notes())
      #expect(crashing.root.schedules.list.map(\.status) == [.armed])
      var left: [UInt8]?
      let onBegin = crashing.root.onBegin
      crashing.root.onBegin = { [memory] action, cause in
        onBegin?(action, cause)
        // The bytes that the daemon leaves if its reducer traps.
        left = memory.bytes
      }
      time.advance(by: 10)
      crashing.root.schedules.stop()
      memory = CrashMemory(try #require(left))
      let crash = try #require(CrashMemory(memory.bytes).notes().found)
      #expect(crash.name == "the schedule \(number) of revision 1: a")
    }
    let held = try bench(try recover(), crashes: memory.notes())
    #expect(held.root.schedules.list.map(\.status) == [.held])
    held.root.schedules.stop()
    var bytes = memory.bytes
    for offset in 0..<8 { bytes[CrashNotes.countOffset + offset] = 0 }
    let forgiven = CrashMemory(bytes)
    let again = try bench(try recover(), crashes: forgiven.notes())
    #expect(again.root.schedules.list.map(\.status) == [.armed])
  }

  // MARK: Limits

  @Test func `The schedules of a user are limited, and those of the owner are not`() throws {
    var limits = Limits()
    limits.schedules = SharedLimit(all: 10, others: 6, holder: 2)
    let bench = try bench(limits: limits)
    func add(_ name: String, _ identity: ActionOrigin.Identity) -> Bool {
      let revision = bench.root.revision
      bench.root.batch(as: ActionOrigin(identity: identity, session: 1)) {
        bench.root.send(.bell(.set(name, at: 5_000, missed: "once")))
      }
      return bench.root.revision > revision
    }
    #expect(add("1", .key("a")))
    #expect(add("2", .key("a")))
    #expect(!add("3", .key("a")))
    #expect(add("4", .key("b")))
    #expect(bench.server.schedules.count == 3)
    for number in 5...11 { #expect(add("\(number)", .process)) }
    #expect(!add("12", .process))
    try sync(bench)
    bench.root.send(.bell(.cancelled("1")))
    #expect(add("3", .key("a")))
    #expect(bench.server.schedules.count == 10)
  }

  @Test func `Their bytes are limited, too`() throws {
    var limits = Limits()
    limits.scheduleBytes = SharedLimit(all: 4_000, others: 3_000, holder: 1_000)
    let bench = try bench(limits: limits)
    for number in 0..<100 {
      bench.root.batch(as: ActionOrigin(identity: .key("a"), session: 1)) {
        bench.root.send(.bell(.set("\(number)", at: 5_000, missed: "once")))
      }
    }
    #expect(1...4 ~= bench.server.schedules.count)
  }

  // MARK: Operators

  @Test func `A client with all rights lists and cancels schedules`() throws {
    let bench = try bench()
    _ = try bench.join(1, try bench.hello(1), nonce: 1, [.follow("alarms")])
    try schedule(bench, .set("a", at: 1_010, missed: "skip"))
    try schedule(bench, .setEach("b", seconds: 20, missed: "once"))
    bench.receive(.schedules(request: 4, .list(from: 0)), from: 1)
    try bench.endTurn()
    guard case .list(let entries, next: nil)? = try answer(bench, 4) else {
      Issue.record("No list")
      return
    }
    #expect(entries.count == 2)
    #expect(entries[0][field: "id"] == .text("a"))
    #expect(entries[0][field: "action"] == .text("bell.rang"))
    #expect(entries[0][field: "due"] == .unsigned((978_307_200 + 1_010) * 1_000))
    #expect(entries[0][field: "missed"] == .text("skip"))
    #expect(entries[1][field: "everyMs"] == .unsigned(20_000))
    guard case .unsigned(let number)? = entries[0][field: "number"] else { return }
    for isFound in [true, false] {
      bench.receive(.schedules(request: 5, .cancel(number)), from: 1)
      try sync(bench)
      #expect(try answer(bench, 5) == .cancelled(isFound))
    }
    #expect(try timers.map(\.id) == ["b"])
  }

  @Test func `A long list has several answers`() throws {
    var limits = Limits()
    limits.scheduleAnswerBytes = 300
    let bench = try bench(limits: limits)
    _ = try bench.join(1, try bench.hello(1), nonce: 1, [.follow("alarms")])
    for number in 0..<10 { try schedule(bench, .set("\(number)", at: 5_000, missed: "once")) }
    var (start, ids): (UInt64?, [GenericValue]) = (0, [])
    while let from = start {
      bench.receive(.schedules(request: from, .list(from: from)), from: 1)
      try bench.endTurn()
      guard case .list(let entries, let next)? = try answer(bench, from) else { break }
      #expect(entries.count < 10)
      ids += entries.compactMap { $0[field: "id"] }
      start = next
    }
    #expect(ids == (0..<10).map { .text("\($0)") })
  }

  @Test func `A client with fewer rights is refused`() throws {
    let bench = try bench()
    bench.addresses[AlarmBench.peer(1)] = "localhost:1000:100:1"
    try bench.admitUser(1000, to: "alarms")
    _ = try bench.join(1, try bench.hello(1), nonce: 1, [.follow("alarms")])
    try schedule(bench, .set("a", at: 1_010, missed: "skip"))
    for query in [ScheduleQuery.list(from: 0), .cancel(1)] {
      bench.receive(.schedules(request: 4, query), from: 1)
      try bench.endTurn()
      guard case .failed("unauthorised", _)? = try answer(bench, 4) else {
        Issue.record("It was allowed")
        continue
      }
    }
    #expect(bench.root.schedules.count == 1)
  }

  @Test func `The schedules of a user that loses its last right stay`() throws {
    let bench = try bench()
    try bench.admitUser(1000, to: "alarms")
    bench.root.batch(as: ActionOrigin(identity: .user(1000, group: 1, process: 1), session: 1)) {
      bench.root.send(.bell(.set("theirs", at: 5_000, missed: "once")))
    }
    try bench.admitUser(1001, to: "alarms")
    try sync(bench)
    #expect(try timers.map(\.id) == ["theirs"])
  }

  private func answer(_ bench: AlarmBench, _ request: UInt64) throws -> ScheduleAnswer? {
    for case .schedules(request: request, let item) in bench.take(1) {
      var decoder = CBORDecoder(item)
      return try ScheduleAnswer(from: &decoder)
    }
    return nil
  }

  // MARK: Names

  @Test func `A revision's record has the names of all its actions`() throws {
    let bench = try bench()
    bench.root.send(.inOrder)
    bench.root.send(.followed)
    try sync(bench)
    let records = try journal.records
    #expect(records.map(\.details.followed) == [["followed", "followed"], []])
    #expect(try records[0].readBack() == records[0])
  }

  @Test func `The first record of a session has its name`() throws {
    let journal = BenchJournal()
    let bench = ServerBench(journal: journal, recovered: try journal.recover(0))
    _ = try bench.join(1, try bench.hello(1), nonce: 1, [.follow("counter")])
    // A refused action has no record.
    _ = try bench.act(1, sequence: 1, .filled(bytes: -1))
    _ = try bench.act(1, sequence: 2, .incrementButtonTapped, .incrementButtonTapped)
    try bench.endTurn()
    let records = try journal.records
    #expect(try records.map { try $0.readBack() } == records)
    let names = records.map { record -> String? in
      guard case .client(let action) = record.origin else { return "none" }
      return action.name
    }
    let name = try #require(bench.server.sessions.all.first?.info.name)
    #expect(names == [name, nil])
  }

  // MARK: Replay

  @Test func `Revisions of effects and schedules are run again, with the origins that they read`()
    throws
  {
    let bench = try bench()
    bench.root.batch(as: ActionOrigin(identity: .key("laptop"), session: 9)) {
      bench.root.send(.bell(.setEach("a", seconds: 10, missed: "each")))
    }
    bench.root.send(.inOrder)
    try sync(bench)
    for _ in 0..<5 {
      time.advance(by: 10)
      try sync(bench)
    }
    #expect(bench.root.state.origins.contains(9))
    let initial = try recover(0).snapshot(Self.form)
    let history = BenchHistory(
      schema: Self.form.schema,
      snapshots: [0: initial],
      batches: journal.batches,
    )
    let replay = Replay(
      RootCore(initialState: { Alarms.State() }, reducer: { Alarms() }),
      exposures: Self.exposures,
      form: Self.form,
      restoredAction: { _ in nil },
      sessionAction: { _ in nil },
    )
    let report = try replay.run(history, 0 ... .max)
    #expect(report.difference == nil, "\(report)")
    #expect(report.unchecked == [:], "\(report)")
    #expect(report.checked == bench.root.revision, "\(report)")
  }
}
