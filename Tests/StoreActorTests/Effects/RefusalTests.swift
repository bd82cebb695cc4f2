import StoreActor
import Testing

@Suite("Refused actions", .timeLimit(.minutes(1)))
@MainActor
struct RefusalTests {
  private typealias Core = RootCore<Queue.State, Queue.Action>

  private func core(
    _ state: Queue.State = Queue.State(),
    _ log: Log = Log(),
    clock: TestClock<Duration> = TestClock(),
  ) -> Core {
    RootCore(
      initialState: { state },
      reducer: { Queue(log: log) },
      withDependencies: { $0.continuousClock = clock },
    )
  }

  private func failure(of task: StoreTask) async -> ActionFailure? {
    do {
      try await task.applied()
      return nil
    } catch {
      return error as? ActionFailure
    }
  }

  @Test("A refused action makes no revision, and its sender receives the reason")
  func refused() async {
    let core = core()
    var (commits, notices) = (0, 0)
    core.onCommit = { _, _, _ in commits += 1 }
    let subscription = core.observeChanges { notices += 1 }
    let failure = await failure(of: core.send(.refuse))
    #expect(failure?.code == .refused)
    #expect(failure?.message == "At most 50 jobs.")
    #expect(failure?.refusal?.code == "full")
    #expect(failure?.refusal?.value(as: Int.self) == 50)
    #expect(failure?.refusal?.value(as: String.self) == nil)
    #expect(failure.map { "\($0)" } == "refused: At most 50 jobs.")
    #expect(core.state == Queue.State())
    #expect((core.revision, commits, notices) == (0, 0, 0))
    core.send(.add)
    #expect((core.revision, commits, notices) == (1, 1, 1))
    subscription.cancel()
  }

  @Test("A refusal absorbs the effects that it is combined with", arguments: Combination.allCases)
  func absorbs(combination: Combination) {
    let effect = combination.effect
    guard case .refuse(let refusal) = effect.operation else {
      Issue.record("\(effect)")
      return
    }
    #expect(refusal.reason == "No.")
  }

  @Test("Of two combined refusals, the first one counts")
  func firstOfTwo() {
    for effect in [
      Effect<Int>.refuse("One.").merge(with: .refuse("Two.")),
      .merge(.send(1), .refuse("One."), .refuse("Two.")),
      .concatenate(.send(1), .refuse("One."), .refuse("Two.")),
    ] {
      guard case .refuse(let refusal) = effect.operation else {
        Issue.record("\(effect)")
        continue
      }
      #expect(refusal.reason == "One.")
    }
  }

  @Test("If an action that follows is refused, the whole revision is")
  func follower() async {
    let log = Log()
    let core = core(Queue.State(), log)
    var outputs = 0
    let subscription = core.observeOutputs { _ in outputs += 1 }
    let failure = await failure(of: core.send(.addAndRefuse))
    #expect(failure?.refusal?.code == "full")
    #expect(core.state == Queue.State())
    #expect(core.revision == 0)
    #expect(!core.hasRunningEffects)
    #expect(log.all.isEmpty)
    #expect(outputs == 0)
    core.send(.add)
    #expect(core.revision == 1)
    #expect(outputs == 0)
    subscription.cancel()
  }

  @Test("A refused revision cancels no effects")
  func cancellation() async {
    let core = core()
    let work = core.send(.work)
    #expect(core.hasRunningEffects)
    for action in [Queue.Action.cancelAndRefuse, .restartAndRefuse] {
      #expect(await failure(of: core.send(action))?.code == .refused)
      #expect(core.hasRunningEffects)
      #expect(!work.isCancelled && !work.isFinished)
      #expect(core.registry.count == 1)
    }
    core.send(.cancel)
    await work.finish()
    #expect(!core.hasRunningEffects)
  }

  @Test("A refused revision does not end the effects of a child that it has removed")
  func removedChild() async {
    let core = core(Queue.State(child: Queue.Child.State(id: 1)))
    let work = core.send(.child(.work))
    #expect(core.registry.count == 1)
    #expect(await failure(of: core.send(.replaceAndRefuse))?.code == .refused)
    #expect(core.state.child?.id == 1)
    #expect(core.registry.count == 1)
    // The child's id still finds the work.
    core.send(.child(.cancel))
    await work.finish()
    #expect(core.registry.count == 0)
  }

  @Test("A refused revision gives a child back its id, with its effects")
  func renamedChild() async {
    let core = core(Queue.State(child: Queue.Child.State(id: 1)))
    let work = core.send(.child(.work))
    #expect(await failure(of: core.send(.child(.renameAndRefuse)))?.code == .refused)
    #expect(core.state.child?.id == 1)
    core.send(.child(.cancel))
    await work.finish()
    #expect(core.registry.count == 0)
  }

  @Test("A refused revision begins no interval of a throttled effect")
  func throttle() async {
    let core = core()
    #expect(await failure(of: core.send(.throttleAndRefuse))?.code == .refused)
    core.send(.throttle)
    // Without an interval, the effect is performed at once.
    #expect(core.state.count == 1)
    #expect(await failure(of: core.send(.throttleAndRefuse))?.code == .refused)
    #expect(core.registry.count == 0)
  }

  @Test("A refused revision starts no step of a sequence")
  func sequence() async {
    let log = Log()
    let core = core(Queue.State(), log)
    #expect(await failure(of: core.send(.chainAndRefuse))?.code == .refused)
    for _ in 0..<20 { await Task.yield() }
    #expect(log.all.isEmpty)
    #expect(core.registry.count == 0)
  }

  @Test("A refused remote action has a task with the refusal")
  func fromAfar() {
    let core = core()
    #expect(core.sendFromAfar(.refuse)?.refusal?.reason == "At most 50 jobs.")
    #expect(core.sendFromAfar(.addAndRefuse)?.refusal?.reason == "At most 50 jobs.")
    #expect(core.sendFromAfar(.add)?.refusal == nil)
    #expect(core.sendFromAfar(.child(.cancel)) == nil)
    #expect(core.revision == 1)
    // A remote sender is notified of its refusals.
    #expect(core.takeRefusals() == nil)
  }

  @Test("A refused revision leaves no record of the effects with names that it began")
  func named() async {
    let (core, record) = (core(), EffectRecord())
    core.effectLog = record
    let work = core.send(.named)
    #expect(record.names == ["job"])
    #expect(await failure(of: core.send(.namedAndRefuse))?.code == .refused)
    #expect(record.names == ["job"])
    #expect(record.endCount == 0)
    work.cancel()
    await work.finish()
    #expect(record.endCount == 1)
  }

  @Test("An effect whose action is refused continues, and the refusal is counted")
  func ofEffect() async {
    let core = core()
    await core.send(.sendRefusedAndAdd).finish()
    #expect(core.state.count == 1)
    #expect(core.revision == 2)
    let refusals = core.takeRefusals()
    #expect(refusals?.count == 1)
    #expect(refusals?.last?.code == "full")
    #expect(core.takeRefusals() == nil)
  }

  @Test("An action that is sent during a commit receives its own refusal")
  func duringCommit() async throws {
    let core = core()
    var tasks: [StoreTask] = []
    core.onCommit = { [unowned core] revision, _, _ in
      guard revision == 1 else { return }
      for action in [Queue.Action.add, .refuse, .add] { tasks.append(core.send(action)) }
    }
    core.send(.add)
    #expect(core.state.count == 3)
    #expect(try await tasks[0].applied() == 2)
    #expect(await failure(of: tasks[1])?.refusal?.code == "full")
    #expect(try await tasks[2].applied() == 3)
    core.onCommit = nil
  }

  @Test("A refusal after a restart is a mistake, and leaves the state unchanged")
  func afterRestart() async {
    let core = RootCore(initialState: { 0 }, reducer: { RefusesRestart() })
    await expectIssue("An action was refused too late: \"Not now.\"") {
      core.restart(Restoration(wasStopped: false), reset: { _ in }, then: nil)
    }
    #expect(core.state == 10)
    #expect(core.revision == 1)
    await expectIssue("An action was refused too late: \"Not now.\"") {
      core.restart(Restoration(wasStopped: true), reset: { _ in }, then: nil)
    }
    #expect(core.state == 21)
  }

  @Test("Parts of a refusal that are too long are reported and cut")
  func limits() async {
    await expectIssue("The reason of a refusal has 600 bytes, and may have 512.") {
      let effect = Effect<Int>.refuse(String(repeating: "x", count: 600))
      guard case .refuse(let refusal) = effect.operation else { return }
      #expect(refusal.reason.utf8.count == 512)
    }
    await expectIssue("The code of a refusal has 65 bytes, and may have 64.") {
      let effect = Effect<Int>.refuse("No.", code: String(repeating: "x", count: 65))
      guard case .refuse(let refusal) = effect.operation else { return }
      #expect(refusal.code?.utf8.count == 64)
    }
    await expectIssue("may have 4096, in at most 64 levels. It was omitted.") {
      let effect = Effect<Int>.refuse("No.", value: String(repeating: "x", count: 5000))
      guard case .refuse(let refusal) = effect.operation else { return }
      #expect(refusal.value(as: String.self) == nil)
    }
  }

  enum Combination: CaseIterable {
    case mergeFirst, mergeLast, mergeWith, concatenateFirst, concatenateLast, concatenateWith
    case map, cancellable, debounce, throttle

    var effect: Effect<Int> {
      let run = Effect<Int>.run { _ in Issue.record("An absorbed effect runs.") }
      let refusal = Effect<Int>.refuse("No.")
      return switch self {
      case .mergeFirst: .merge(refusal, run, .send(1))
      case .mergeLast: .merge(.cancel(id: 1), run, refusal)
      case .mergeWith: run.merge(with: refusal)
      case .concatenateFirst: .concatenate(refusal, run)
      case .concatenateLast: .concatenate(run, refusal)
      case .concatenateWith: run.concatenate(with: refusal)
      case .map: refusal.map { $0 + 1 }
      case .cancellable: refusal.cancellable(id: 1, cancelInFlight: true)
      case .debounce: refusal.debounce(id: 1, for: .seconds(1), clock: TestClock())
      case .throttle: refusal.throttle(id: 1, for: .seconds(1), clock: TestClock(), latest: true)
      }
    }
  }
}

/// The effects with names that have begun.
@MainActor
private final class EffectRecord: EffectLog {
  private var began: [UInt64: String] = [:]
  private(set) var endCount = 0
  var names: [String] { began.values.sorted() }

  func began(_ number: UInt64, _ effect: InterruptedEffect) { began[number] = effect.name }
  func ended(_ number: UInt64) { endCount += 1 }
  func tookBack(_ number: UInt64) { began[number] = nil }
}

/// A feature that refuses.
private struct Queue: Reducer {
  struct State: Equatable, Sendable {
    var count = 0
    var child: Child.State?
  }

  @CasePathable
  enum Action: Sendable {
    case refuse, add, addAndRefuse
    case work, cancel, cancelAndRefuse, restartAndRefuse
    case replaceAndRefuse
    case throttle, throttleAndRefuse
    case chainAndRefuse
    case sendRefusedAndAdd
    case named, namedAndRefuse
    case child(Child.Action)
  }

  struct Child: Reducer {
    struct State: Equatable, Identifiable, Sendable { var id: Int }

    enum Action: Sendable { case work, cancel, renameAndRefuse }

    enum CancelID { case work }

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
      switch action {
      case .work: return .run { _ in try await Task.never() }.cancellable(id: CancelID.work)
      case .cancel: return .cancel(id: CancelID.work)
      case .renameAndRefuse:
        state.id += 1
        return .none
      }
    }
  }

  enum CancelID { case work, throttle }

  let log: Log
  @Dependency(\.continuousClock) private var clock

  var body: some ReducerOf<Self> {
    Reduce { [log] state, action in
      let work = Effect<Action>.run { _ in
        log("work")
        try await Task.never()
      }
      .cancellable(id: CancelID.work, cancelInFlight: true)
      switch action {
      case .refuse: return .refuse("At most 50 jobs.", code: "full", value: 50)
      case .add:
        state.count += 1
        return .none
      case .addAndRefuse:
        state.count += 1
        return .merge(.output("added"), work, .send(.refuse), work)
      case .work: return .run { _ in try await Task.never() }.cancellable(id: CancelID.work)
      case .cancel: return .cancel(id: CancelID.work)
      case .cancelAndRefuse: return .merge(.cancel(id: CancelID.work), .send(.refuse))
      case .restartAndRefuse: return .merge(work, .send(.refuse))
      case .replaceAndRefuse:
        state.child = Child.State(id: 2)
        return .send(.refuse)
      case .throttle:
        return .send(.add).throttle(
          id: CancelID.throttle,
          for: .seconds(1),
          clock: clock,
          latest: true,
        )
      case .throttleAndRefuse:
        return .merge(
          .send(.add)
            .throttle(id: CancelID.throttle, for: .seconds(1), clock: clock, latest: false),
          .send(.refuse),
        )
      case .chainAndRefuse:
        return .merge(.concatenate(work, work), .send(.refuse))
      case .sendRefusedAndAdd:
        return .run { send in
          await send(.refuse)
          await send(.add)
        }
      case .named: return .run(name: "job") { _ in try await Task.never() }
      case .namedAndRefuse:
        return .merge(.run(name: "refused") { _ in try await Task.never() }, .send(.refuse))
      case .child(.renameAndRefuse): return .send(.refuse)
      case .child: return .none
      }
    }
    .ifLet(\.child, action: \.child) { Child() }
  }
}

/// A feature that refuses when its daemon has restarted.
private struct RefusesRestart: Reducer {
  var body: some Reducer<Int, Bool> {
    Reduce<Int, Bool> { state, _ in
      state += 100
      return .refuse("Not now.")
    }
    .onRestored { state, _ in
      state += 1
      return .none
    }
    .onRestored { state, restoration in
      state += 10
      if restoration.wasStopped { return .send(true) }
      state -= 1
      return .none
    }
    .onRestored { state, restoration in
      guard !restoration.wasStopped else { return .none }
      state += 1000
      return .refuse("Not now.")
    }
  }
}
