import StoreActor
import Testing

@Suite("Effects that outlive the sender", .timeLimit(.minutes(1)))
@MainActor
struct OutlivingEffectTests {
  private typealias Core = RootCore<Press.State, Press.Action>

  private func core(_ clock: TestClock<Duration>) -> Core {
    RootCore(
      initialState: { Press.State() },
      reducer: { Press() },
      withDependencies: { $0.continuousClock = clock },
    )
  }

  /// Waits until no effect runs.
  private func rest(_ core: Core) async {
    while core.hasRunningEffects { await Task.yield() }
  }

  @Test("The task of the action neither waits for it nor cancels it")
  func task() async {
    let clock = TestClock()
    let core = core(clock)
    let task = core.send(.print(owner: .daemon))
    #expect(task.isFinished)
    await task.finish()
    task.cancel()
    #expect(core.hasRunningEffects)
    await clock.advance(by: .seconds(1))
    await rest(core)
    #expect(core.state.printed == 1)
    // The sender's effect ends with its task.
    let own = core.send(.print(owner: .sender))
    own.cancel()
    await own.finish()
    #expect(core.state.printed == 1)
  }

  @Test("Nor does it cancel the effects of the actions that it sends")
  func followers() async {
    let clock = TestClock()
    let core = core(clock)
    let task = core.send(.printTwice)
    await clock.advance(by: .seconds(1))
    while core.state.printed == 0 { await Task.yield() }
    task.cancel()
    await clock.advance(by: .seconds(1))
    await rest(core)
    #expect(core.state.printed == 2)
  }

  @Test("A cancellation by id and the removal of its child end it")
  func cancelled() async {
    for end in [Press.Action.stop, .removeChild] {
      let core = core(TestClock())
      core.send(end == .stop ? .print(owner: .daemon) : .child(.print(owner: .daemon)))
      core.send(.child(.print(owner: .sender)))
      #expect(core.hasRunningEffects)
      core.send(end)
      if end == .stop { core.send(.removeChild) }
      await rest(core)
      #expect(core.state.printed == 0)
    }
  }

  @Test("Of merged effects, the task of the action has those of the sender")
  func merged() async {
    let clock = TestClock()
    let core = core(clock)
    let task = core.send(.printBoth)
    #expect(!task.isFinished)
    task.cancel()
    await task.finish()
    #expect(core.hasRunningEffects)
    await clock.advance(by: .seconds(1))
    await rest(core)
    #expect(core.state.printed == 1)
  }

  @Test("What follows it in a sequence waits for it, and belongs to the sender")
  func sequence() async {
    for isCancelled in [false, true] {
      let clock = TestClock()
      let core = core(clock)
      let task = core.send(.printAndThen)
      #expect(!task.isFinished)
      if isCancelled { task.cancel() }
      await clock.advance(by: .seconds(1))
      await task.finish()
      await rest(core)
      #expect(core.state.printed == (isCancelled ? 1 : 2))
    }
  }

  @Test("A cancelled task does not wait for a step that the daemon owns")
  func cancelledSequence() async {
    let core = core(TestClock())
    let task = core.send(.printAndThen)
    task.cancel()
    await task.finish()
    #expect(core.hasRunningEffects)
    #expect(core.state.printed == 0)
  }

  @Test("A sequence continues after it, and does not wait for effects of its actions")
  func sequenceOfFollowers() async {
    let clock = TestClock()
    let core = core(clock)
    core.send(.printForeverAndThen)
    await clock.advance(by: .seconds(1))
    // The effect's action has started another one, which waits.
    while core.state.printed < 2 { await Task.yield() }
    #expect(core.hasRunningEffects)
  }

  @Test("It acts on behalf of the sender, and is reported with its name until it has ended")
  func origin() async {
    let clock = TestClock()
    let core = core(clock)
    var names: [String] = []
    var lineages: [EffectLineage] = []
    core.onOutliving = { name, lineage in
      names.append(name)
      lineages.append(lineage)
    }
    let origin = ActionOrigin(identity: .user(7, group: 7, process: 1), session: 3)
    core.batch(as: origin) { core.send(.print(owner: .daemon)) }
    core.send(.print(owner: .sender))
    #expect(names == ["print"])
    #expect(lineages.map(\.origin) == [origin])
    #expect(lineages.map(\.isFinished) == [false])
    await clock.advance(by: .seconds(1))
    await rest(core)
    #expect(lineages.map(\.isFinished) == [true])
  }

  @Test("It does not begin in a step that is refused")
  func refused() async {
    let core = core(TestClock())
    var lineages: [EffectLineage] = []
    core.onOutliving = { lineages.append($1) }
    #expect(core.send(.printAndRefuse, lineage: nil).refusal?.reason == "No.")
    #expect(lineages.map(\.isFinished) == [true])
    #expect(!core.hasRunningEffects)
  }

  @Test("A test must wait for it, although the task of its action does not")
  func tested() async {
    let clock = TestClock()
    let store = TestStore(initialState: Press.State()) {
      Press()
    } withDependencies: {
      $0.continuousClock = clock
    }
    let task = await store.send(.print(owner: .daemon))
    await task.finish()
    await clock.advance(by: .seconds(1))
    await store.receive(.printed(nil)) { $0.printed = 1 }
    await expectIssue("An effect returned for this action is still running") {
      let store = TestStore(initialState: Press.State()) {
        Press()
      } withDependencies: {
        $0.continuousClock = clock
      }
      await store.send(.print(owner: .daemon))
    }
  }
}

extension OutlivingEffectTests {
  struct Press: Reducer {
    struct State: Equatable, Sendable {
      var printed = 0
      var child: Child.State? = Child.State()
    }

    @CasePathable
    enum Action: Equatable, Sendable {
      case print(owner: EffectOwner)
      case printed(EffectOwner?)
      case printTwice, printBoth, printAndThen, printForeverAndThen, printAndRefuse, refused
      case stop, removeChild
      case child(Child.Action)
    }

    @Dependency(\.continuousClock) var clock

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .print(let owner): return run(owner).cancellable(id: "print")
        case .printed(let next):
          state.printed += 1
          return next.map { run($0) } ?? .none
        case .printTwice: return run(.daemon, then: .sender)
        case .printBoth: return .merge(run(.daemon), run(.sender))
        case .printAndThen: return .concatenate(run(.daemon), .send(.printed(nil)))
        case .printForeverAndThen:
          return .concatenate(run(.daemon, then: .sender), .send(.printed(nil)))
        case .printAndRefuse: return .merge(run(.daemon), .send(.refused))
        case .refused: return .refuse("No.")
        case .stop: return .cancel(id: "print")
        case .removeChild: state.child = nil
        case .child: break
        }
        return .none
      }
      .ifLet(\.child, action: \.child) { Child() }
    }

    private func run(_ owner: EffectOwner, then next: EffectOwner? = nil) -> Effect<Action> {
      .run(name: "print", owner: owner) { [clock] send in
        try await clock.sleep(for: .seconds(1))
        await send(.printed(next))
      }
    }
  }

  struct Child: Reducer {
    struct State: Equatable, Sendable {
      var printed = 0
    }

    @CasePathable
    enum Action: Equatable, Sendable {
      case print(owner: EffectOwner)
      case printed
    }

    @Dependency(\.continuousClock) var clock

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
      switch action {
      case .print(let owner):
        return .run(name: "print", owner: owner) { [clock] send in
          try await clock.sleep(for: .seconds(1))
          await send(.printed)
        }
      case .printed:
        state.printed += 1
        return .none
      }
    }
  }
}
