import IssueReporting
import StoreActor
import Testing

/// Schedules of a root in one process.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct ScheduleTests {
  private typealias Core = RootCore<Alarms.State, Alarms.Action>

  private let time = ManualTime()
  /// All cores: the end of one would cancel its schedules.
  private let cores = Cores()

  private final class Cores {
    var all: [Core] = []
  }

  private func core(_ state: Alarms.State = Alarms.State()) -> Core {
    let core = Core(initialState: { state }, reducer: { Alarms() })
    core.schedules.use(time.clock)
    cores.all.append(core)
    return core
  }

  private func waiting(_ core: Core) -> Int { core.schedules.count }

  // MARK: Due times

  @Test func `An action is sent once, at its date and not before`() {
    let core = core()
    core.send(.bell(.set("a", at: 1_100, missed: "once")))
    time.advance(by: 99)
    #expect(core.state.rang.isEmpty)
    time.advance(by: 1)
    #expect(core.state.rang == ["a"])
    #expect(waiting(core) == 0)
    #expect(!core.hasRunningEffects)
    #expect(time.waiting == nil)
  }

  @Test func `A date in the past is due at once, after the revision`() {
    let core = core()
    core.send(.bell(.set("a", at: 5, missed: "once")))
    #expect(core.state.rang.isEmpty)
    time.advance(by: 0)
    #expect(core.state.rang == ["a"])
  }

  @Test func `An interval begins with the last due time, not with the last firing`() {
    let core = core()
    core.send(.bell(.setEach("a", seconds: 10, missed: "once")))
    time.advance(by: 10)
    #expect(core.state.rang.count == 1)
    // The next firing is late.
    time.advance(by: 13, isAsleep: true)
    #expect(core.state.rang.count == 2)
    time.advance(by: 7)
    #expect(core.state.rang.count == 3)
  }

  @Test func `Schedules fire in the order of their due times`() {
    let core = core()
    core.send(.bell(.set("late", at: 1_020, missed: "once")))
    core.send(.bell(.set("early", at: 1_010, missed: "once")))
    time.advance(by: 60, isAsleep: true)
    #expect(core.state.rang == ["early", "late"])
  }

  @Test(arguments: [("once", 1), ("skip", 1), ("each", 5)])
  func `Due times that pass while the machine sleeps are missed`(_ missed: String, _ count: Int) {
    let core = core()
    core.send(.bell(.setEach("a", seconds: 10, missed: missed)))
    time.advance(by: 43, isAsleep: true)
    time.advance(by: 0)
    #expect(core.state.rang.count == count)
    // The due times do not move.
    time.advance(by: 6.9)
    #expect(core.state.rang.count == count)
    time.advance(by: 0.2)
    #expect(core.state.rang.count == count + 1)
  }

  @Test func `At most 1,000 missed firings are made up for, a part of them at a time`() {
    let core = core()
    core.send(.bell(.setEach("a", seconds: 1, missed: "each")))
    core.send(.bell(.setEach("b", seconds: 3_000, missed: "once")))
    time.set(by: 5_000)
    // Each check lets other work have its turn.
    time.wake()
    #expect(1...100 ~= core.state.rang.count)
    time.advance(by: 0)
    #expect(core.state.rang.filter { $0 == "a" }.count == 1_000)
    #expect(core.state.rang.filter { $0 == "b" }.count == 1)
  }

  @Test func `A clock that is set back delays an interval by at most one`() {
    let core = core()
    core.send(.bell(.setEach("a", seconds: 10, missed: "once")))
    time.advance(by: 5)
    time.set(by: -1_000_000)
    time.advance(by: 30)
    #expect(core.state.rang.count >= 1)
    let count = core.state.rang.count
    time.advance(by: 10)
    #expect(core.state.rang.count == count + 1)
  }

  @Test func `A date is the machine's date, also after its clock was set`() {
    let core = core()
    core.send(.bell(.set("a", at: 1_100, missed: "once")))
    time.set(by: -50)
    time.advance(by: 149)
    #expect(core.state.rang.isEmpty)
    time.advance(by: 1)
    #expect(core.state.rang == ["a"])
    core.send(.bell(.set("b", at: 9_000, missed: "once")))
    time.set(by: 8_000)
    time.advance(by: 30)
    #expect(core.state.rang == ["a", "b"])
  }

  // MARK: Ending

  @Test func `The same id replaces a schedule, and cancels it`() {
    let core = core()
    core.send(.bell(.set("a", at: 1_010, missed: "once")))
    core.send(.bell(.set("a", at: 1_020, missed: "once")))
    core.send(.bell(.set("b", at: 1_020, missed: "once")))
    #expect(waiting(core) == 2)
    time.advance(by: 15)
    #expect(core.state.rang.isEmpty)
    core.send(.bell(.cancelled("a")))
    #expect(waiting(core) == 1)
    time.advance(by: 15)
    #expect(core.state.rang == ["b"])
  }

  @Test func `A schedule replaces only those of its own place`() {
    let core = core(Alarms.State(rows: [Bell.State(id: 1)]))
    core.send(.rows(.element(id: 1, action: .set("a", at: 1_010, missed: "once"))))
    core.send(.bell(.set("a", at: 1_010, missed: "once")))
    #expect(waiting(core) == 2)
    // A cancellation reaches those of children.
    core.send(.bell(.cancelled("a")))
    #expect(waiting(core) == 0)
  }

  @Test func `Due times of more than 30 seconds ago are skipped, and a date is dropped then`() {
    for seconds in [25.0, 45] {
      let core = core()
      let start = time.date
      core.send(.bell(.setEach("a", seconds: 60, missed: "skip")))
      core.send(.bell(.set("b", at: start + 60, missed: "skip")))
      time.set(by: 60 + seconds)
      time.wake()
      #expect(core.state.rang.count == (seconds < 30 ? 2 : 0))
      #expect(waiting(core) == 1)
      time.advance(by: 60 - seconds)
      #expect(core.state.rang.count == (seconds < 30 ? 3 : 1))
      core.schedules.stop()
    }
  }

  @Test func `The removal of a child ends the child's schedules`() {
    var state = Alarms.State(rows: [Bell.State(id: 1), Bell.State(id: 2)])
    state.child = Bell.State(id: 0)
    let core = core(state)
    core.send(.child(.set("child", at: 1_010, missed: "once")))
    core.send(.rows(.element(id: 1, action: .set("a", at: 1_010, missed: "once"))))
    core.send(.rows(.element(id: 2, action: .set("a", at: 1_010, missed: "once"))))
    #expect(waiting(core) == 3)
    core.send(.childToggled)
    core.send(.rowRemoved(id: 1))
    #expect(waiting(core) == 1)
    time.advance(by: 10)
    #expect(core.state.rang == ["a"])
    #expect(core.state.rows[id: 2]?.rings == 1)
  }

  @Test func `The task of the action neither waits for the schedule nor cancels it`() async {
    let core = core()
    let task = core.send(.bell(.set("a", at: 1_010, missed: "once")))
    #expect(task.isFinished)
    await task.finish()
    task.cancel()
    time.advance(by: 10)
    #expect(core.state.rang == ["a"])
  }

  @Test func `A refused action schedules and cancels nothing`() {
    let core = core()
    core.send(.bell(.set("a", at: 1_010, missed: "once")))
    core.send(.refused(cancels: "a"))
    #expect(waiting(core) == 1)
    time.advance(by: 10)
    #expect(core.state.rang == ["a"])
  }

  @Test func `A sequence does not wait for due times`() {
    let core = core()
    core.send(.inOrder)
    #expect(core.state.rang == ["followed", "followed"])
    time.advance(by: 1)
    #expect(core.state.rang == ["followed", "followed", "followed"])
  }

  @Test func `A stopped root fires nothing more`() {
    let core = core()
    core.send(.bell(.setEach("a", seconds: 10, missed: "once")))
    core.schedules.stop()
    time.advance(by: 100)
    #expect(core.state.rang.isEmpty)
  }

  @Test func `The actions have the origin of the action that has scheduled them`() {
    let core = core()
    core.batch(as: ActionOrigin(identity: .unknown, session: 7)) {
      core.send(.bell(.set("a", at: 1_010, missed: "once")))
    }
    core.send(.bell(.set("b", at: 1_020, missed: "once")))
    time.advance(by: 20)
    #expect(core.state.origins == [7, nil])
  }

  // MARK: Limits and mistakes

  @Test func `An action that exceeds a limit of schedules is refused`() async throws {
    let core = core()
    let limit = ScheduleLimit(1)
    core.schedules.observer = limit
    core.send(.bell(.set("a", at: 1_010, missed: "once")))
    let task = core.send(.bell(.set("b", at: 1_010, missed: "once")))
    let failure = await #expect(throws: ActionFailure.self) { try await task.applied() }
    #expect(failure?.refusal?.code == "full")
    #expect(core.revision == 1)
    core.send(.bell(.cancelled("a")))
    #expect(limit.count == 0)
    core.send(.bell(.set("b", at: 1_010, missed: "once")))
    time.advance(by: 10)
    #expect(core.state.rang == ["b"])
    #expect(limit.count == 0)
    core.send(.refused(cancels: "b"))
    #expect(limit.count == 0)
  }

  private final class ScheduleLimit: ScheduleObserver {
    private(set) var count = 0
    private(set) var dropped: [String] = []
    private let most: Int

    init(_ most: Int) { self.most = most }

    func refusal(of timer: DurableTimer) -> Refusal? {
      count < most ? nil : Refusal(reason: "full", code: "full", encodedValue: nil)
    }

    func count(_ timer: DurableTimer, _ change: Int) { count += change }

    func sleeps(_ timer: DurableTimer, _ status: ListedTimer.Status) {}

    func dropped(_ timer: DurableTimer) { dropped.append(timer.id) }
  }

  @Test func `At a limit a schedule can be replaced`() {
    let core = core()
    let limit = ScheduleLimit(1)
    core.schedules.observer = limit
    core.send(.bell(.set("a", at: 1_010, missed: "once")))
    core.send(.bell(.set("a", at: 1_020, missed: "once")))
    #expect(core.revision == 2)
    #expect(limit.count == 1)
    time.advance(by: 15)
    #expect(core.state.rang.isEmpty)
    time.advance(by: 5)
    #expect(core.state.rang == ["a"])
  }

  @Test func `A schedule over the limit that a start returns is reported, and left out`() {
    let log = TimerLog()
    core(log).send(.bell(.set("a", at: 1_010, missed: "once")))
    let second = Core(initialState: { Alarms.State() }, reducer: { RestartedAlarms() })
    second.schedules.use(time.clock)
    second.effectLog = log
    cores.all.append(second)
    let limit = ScheduleLimit(1)
    second.schedules.observer = limit
    withKnownIssue { restart(second, log.restored) }
    #expect(second.revision == 1)
    #expect(limit.count == 1)
    let revision = second.revision
    second.send(.followed)
    #expect(second.revision == revision + 1)
  }

  @Test func `Impossible schedules are reported, and ignored`() {
    let core = core()
    for action: Bell.Action in [
      .set("a", at: .nan, missed: "once"), .set("a", at: .infinity, missed: "once"),
      .setEach("a", seconds: 0.5, missed: "once"),
      .set(String(repeating: "x", count: 129), at: 5, missed: "once"),
    ] {
      withKnownIssue {
        _ = core.send(.bell(action))
      } matching: { issue in
        issue.description.contains("is ignored")
      }
    }
    #expect(waiting(core) == 0)
  }

  // MARK: Restarts

  /// A daemon's root, with a journal's log.
  private func core(_ log: TimerLog, _ state: Alarms.State = Alarms.State()) -> Core {
    let core = core(state)
    core.effectLog = log
    return core
  }

  private func restart(
    _ core: Core,
    _ timers: [RestoredTimer],
    isHeldBack: Bool = false,
  ) {
    for earlier in cores.all where earlier !== core { earlier.schedules.stop() }
    var restoration = Restoration(wasStopped: false)
    restoration.timers = timers
    core.restart(isHeldBack ? restoration.heldBack : restoration, reset: { _ in }, then: nil)
  }

  private var full: Alarms.State {
    var state = Alarms.State(rows: [Bell.State(id: 1), Bell.State(id: 2)])
    state.child = Bell.State(id: 0)
    return state
  }

  @Test func `A restarted daemon arms the schedules of the root, of children and of rows`() {
    let log = TimerLog()
    let first = core(log, full)
    first.batch(as: ActionOrigin(identity: .unknown, session: 7)) {
      first.send(.bell(.set("root", at: 1_010, missed: "once")))
      first.send(.child(.setEach("child", seconds: 10, missed: "once")))
      first.send(.rows(.element(id: 2, action: .set("row", at: 1_010, missed: "once"))))
    }
    #expect(log.timers.count == 3)
    #expect(log.timers.values.map(\.depth).sorted() == [0, 1, 1])
    let second = core(log, full)
    restart(second, log.restored)
    #expect(second.schedules.list.map(\.status) == [.armed, .armed, .armed])
    time.advance(by: 10)
    #expect(second.state.rang.sorted() == ["child", "root", "row"])
    #expect(second.state.child?.rings == 1)
    #expect(second.state.rows[id: 2]?.rings == 1)
    #expect(second.state.origins == [7, 7, 7])
    #expect(log.timers.values.map(\.id) == ["child"])
    #expect(log.timers.values.first?.due == 1_020)
    // It belongs to its child again.
    second.send(.childToggled)
    #expect(second.schedules.count == 0)
    #expect(log.timers.isEmpty)
  }

  @Test func `A restored schedule is cancelled by its id, and by an operator`() throws {
    let log = TimerLog()
    let first = core(log, full)
    first.send(.child(.set("a", at: 1_010, missed: "once")))
    first.send(.bell(.set("b", at: 1_010, missed: "once")))
    let second = core(log, full)
    restart(second, log.restored)
    second.send(.child(.cancelled("a")))
    #expect(log.timers.values.map(\.id) == ["b"])
    #expect(second.cancelSchedule(try #require(log.timers.keys.first)))
    #expect(!second.cancelSchedule(5))
    #expect(log.timers.isEmpty)
    #expect(second.schedules.count == 0)
  }

  @Test func `A schedule is dropped if its child is absent, and named`() {
    let log = TimerLog()
    let first = core(log, full)
    first.send(.child(.set("child", at: 1_010, missed: "once")))
    first.send(.rows(.element(id: 2, action: .set("row", at: 1_010, missed: "once"))))
    let second = core(log)
    let limit = ScheduleLimit(10)
    second.schedules.observer = limit
    restart(second, log.restored)
    #expect(limit.dropped == ["child", "row"])
    #expect(limit.count == 0)
    #expect(log.timers.isEmpty)
  }

  @Test func `One that this build cannot read is kept, and fires in a build that can`() throws {
    let log = TimerLog()
    let first = core(log)
    first.send(.bell(.set("a", at: 1_010, missed: "once")))
    let number = try #require(log.timers.keys.first)
    let action = try #require(log.timers[number]?.action)
    log.timers[number]?.action = "unheardOf".encoded()
    let second = core(log)
    restart(second, log.restored)
    #expect(second.schedules.list.map(\.status) == [.unreadable])
    time.advance(by: 10)
    #expect(second.state.rang.isEmpty)
    #expect(log.timers.count == 1)
    log.timers[number]?.action = action
    let third = core(log)
    restart(third, log.restored)
    time.advance(by: 0)
    #expect(third.state.rang == ["a"])
  }

  @Test func `One that is held, or held back, stays asleep and can be cancelled`() throws {
    for isHeldBack in [true, false] {
      let log = TimerLog()
      core(log).send(.bell(.set("a", at: 1_010, missed: "once")))
      let second = core(log)
      var timers = log.restored
      timers[0].isHeld = !isHeldBack
      restart(second, timers, isHeldBack: isHeldBack)
      time.advance(by: 10)
      #expect(second.state.rang.isEmpty)
      #expect(second.schedules.list.map(\.status) == [isHeldBack ? .heldBack : .held])
      #expect(log.timers.count == 1)
      #expect(second.cancelSchedule(timers[0].number))
      #expect(log.timers.isEmpty)
    }
  }

  @Test func `A feature may replace and cancel its schedules when it is informed of the start`() {
    let log = TimerLog()
    let first = core(log, full)
    for id in ["kept", "replaced", "cancelled"] {
      first.send(.bell(.set(id, at: 1_010, missed: "once")))
      first.send(.child(.set(id, at: 1_010, missed: "once")))
    }
    let second = Core(initialState: { [full] in full }, reducer: { RestartedAlarms() })
    second.schedules.use(time.clock)
    second.effectLog = log
    cores.all.append(second)
    restart(second, log.restored)
    #expect(second.state.rang == ["true", "false"])
    let timers = log.timers.values.map { "\($0.id) \($0.depth) \($0.due)" }.sorted()
    #expect(timers == ["kept 0 1010.0", "kept 1 1010.0", "replaced 0 1020.0", "replaced 1 1020.0"])
    #expect(second.schedules.count == 4)
  }

  private struct RestartedAlarms: Reducer {
    var body: some Reducer<Alarms.State, Alarms.Action> {
      Reduce<Alarms.State, Alarms.Action> { _, _ in .none }
        .ifLet(\.child, action: \.child) {
          Bell().onRestored { _, _ in Self.following.map { $0 } }
        }
        .onRestored { state, restoration in
          state.rang += ["replaced", "other"].map { "\(restoration.hasSchedule($0))" }
          return Self.following.map { .bell($0) }
        }
    }

    private static let following = Effect<Bell.Action>.merge(
      .cancel(id: "cancelled"),
      .schedule(id: "replaced", at: Date(timeIntervalSinceReferenceDate: 1_020), .rang("x")),
    )
  }

  @Test(arguments: [("once", 1), ("skip", 0), ("each", 3)])
  func `Due times that pass while the daemon is stopped are missed`(
    _ missed: String,
    _ count: Int,
  ) {
    let log = TimerLog()
    let first = core(log)
    first.send(.bell(.setEach("a", seconds: 100, missed: missed)))
    first.send(.bell(.set("b", at: 1_005, missed: missed)))
    first.schedules.stop()
    time.advance(by: 350)
    let second = core(log)
    restart(second, log.restored)
    time.advance(by: 0)
    #expect(second.state.rang.filter { $0 == "a" }.count == count)
    #expect(second.state.rang.filter { $0 == "b" }.count == min(count, 1))
    #expect(log.timers.count == 1)
    time.advance(by: 50)
    #expect(second.state.rang.filter { $0 == "a" }.count == count + 1)
  }

  @Test func `One that is due soon after a start has missed nothing`() {
    let log = TimerLog()
    core(log).send(.bell(.set("a", at: 1_005, missed: "skip")))
    let second = core(log)
    restart(second, log.restored)
    time.advance(by: 5)
    #expect(second.state.rang == ["a"])
  }

  @Test func `A firing is noted with its due time before its action is reduced`() {
    let log = TimerLog()
    let core = core(log)
    core.send(.bell(.setEach("a", seconds: 10, missed: "each")))
    var firedBefore: [Int] = []
    core.onBegin = { _, cause in
      firedBefore.append(log.fired.count)
      #expect(cause?.name == "a")
      #expect(cause?.revision == 1)
    }
    time.advance(by: 15, isAsleep: true)
    #expect(firedBefore == [1, 2])
    #expect(log.fired.map(\.due) == [1_010, 1_020])
    #expect(log.timers.values.map(\.due) == [1_030])
  }

  @Test func `A schedule whose action has no durable form is reported, and ends with the daemon`() {
    let log = TimerLog()
    let core = core(log)
    withKnownIssue {
      _ = core.send(.bell(.setSecret("a", at: 1_010)))
    } matching: { issue in
      issue.description.contains("no durable form") && issue.description.contains("bell.secretRang")
    }
    #expect(log.timers.isEmpty)
    time.advance(by: 10)
    #expect(core.revision == 2)
  }

  @Test func `Too long an action is refused where schedules are kept`() async {
    let log = TimerLog()
    let core = core(log)
    let task = core.send(.bell(.setLong(bytes: 70_000)))
    let failure = await #expect(throws: ActionFailure.self) { try await task.applied() }
    #expect(failure?.refusal?.code == "schedules")
    core.send(.bell(.setLong(bytes: 60_000)))
    #expect(log.timers.values.map(\.due) == [DurableTimer.greatestDate])
  }

  @Test func `Schedules with and without a form have different numbers`() {
    let log = TimerLog()
    let core = core(log)
    core.send(.bell(.set("kept", at: 1_010, missed: "once")))
    withKnownIssue { _ = core.send(.bell(.setSecret("secret", at: 1_010))) }
    let numbers = core.schedules.list.map(\.number)
    #expect(numbers.count == 2)
    #expect(numbers.allSatisfy { $0 > 100 })
  }

  @Test func `A schedule that stays asleep ends with its id and its child`() {
    for isHeldBack in [true, false] {
      let log = TimerLog()
      let first = core(log, full)
      for id in ["cancelled", "replaced", "removed"] {
        first.send(.child(.set(id, at: 1_010, missed: "once")))
      }
      let second = core(log, full)
      var timers = log.restored
      for index in timers.indices { timers[index].isHeld = !isHeldBack }
      restart(second, timers, isHeldBack: isHeldBack)
      #expect(second.schedules.count == 3)
      second.send(.child(.cancelled("cancelled")))
      second.send(.child(.set("replaced", at: 1_020, missed: "once")))
      #expect(log.timers.values.map(\.id).sorted() == ["removed", "replaced"])
      second.send(.childToggled)
      #expect(log.timers.isEmpty)
      #expect(second.schedules.count == 0)
      second.schedules.stop()
    }
  }

  @Test func `Rows with schedules are not informed of a restart`() {
    let log = TimerLog()
    let first = core(log, full)
    first.send(.rows(.element(id: 2, action: .set("row", at: 1_010, missed: "once"))))
    let second = Core(
      initialState: { [full] in full },
      reducer: {
        Reduce<Alarms.State, Alarms.Action> { _, _ in .none }
          .forEach(\.rows, action: \.rows) {
            Bell().onRestored { state, _ in
              state.rings += 100
              return .none
            }
          }
      },
    )
    second.schedules.use(time.clock)
    second.effectLog = log
    cores.all.append(second)
    restart(second, log.restored)
    #expect(second.state.rows[id: 2]?.rings == 0)
    #expect(second.schedules.list.map(\.status) == [.armed])
  }

  @Test func `A refused action leaves no schedule in the log`() {
    let log = TimerLog()
    let core = core(log)
    core.send(.bell(.set("a", at: 1_010, missed: "once")))
    core.send(.refused(cancels: "a"))
    #expect(log.timers.values.map(\.id) == ["a"])
  }

  // MARK: Tests of features

  @Test func `A test's clock decides while the date stands still`() async {
    let clock = TestClock()
    let store = TestStore(initialState: Alarms.State()) {
      Alarms()
    } withDependencies: {
      $0.continuousClock = clock
      $0.date.now = Date(timeIntervalSinceReferenceDate: 1_000)
    }
    await store.send(.bell(.set("a", at: 1_100, missed: "once")))
    await store.send(.bell(.setEach("b", seconds: 60, missed: "once")))
    await clock.advance(by: .seconds(60))
    await store.receive(\.bell.rang) {
      $0.rang = ["b"]
      $0.origins = [nil]
    }
    await clock.advance(by: .seconds(40))
    await store.receive(\.bell.rang) {
      $0.rang = ["b", "a"]
      $0.origins = [nil, nil]
    }
    await store.send(.bell(.cancelled("b")))
    await clock.advance(by: .seconds(600))
    await store.finish()
  }

  @Test func `A fixed date that a test changes stands still again`() async {
    let clock = TestClock()
    let store = TestStore(initialState: Alarms.State()) {
      Alarms()
    } withDependencies: {
      $0.continuousClock = clock
      $0.date.now = Date(timeIntervalSinceReferenceDate: 1_000)
    }
    await store.send(.bell(.set("a", at: 1_100, missed: "once")))
    store.dependencies.date.now = Date(timeIntervalSinceReferenceDate: 1_050)
    await clock.advance(by: .seconds(90))
    await store.receive(\.bell.rang) {
      $0.rang = ["a"]
      $0.origins = [nil]
    }
  }

  @Test func `A test that leaves a schedule behind fails`() async {
    await withKnownIssue {
      let store = TestStore(initialState: Alarms.State()) {
        Alarms()
      } withDependencies: {
        $0.continuousClock = TestClock()
        $0.date.now = Date(timeIntervalSinceReferenceDate: 1_000)
      }
      await store.send(.bell(.set("a", at: 1_100, missed: "once")))
    } matching: { issue in
      issue.description.contains("still running")
    }
  }
}
