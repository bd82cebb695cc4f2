import StoreActor
import Testing

@Suite("A test store", .timeLimit(.minutes(1)))
@MainActor
struct TestStoreTests {
  @Test("A send asserts its changes, and a receive the changes of an effect's action")
  func sendAndReceive() async {
    let clock = TestClock()
    let store = TestStore(initialState: Timer.State()) {
      Timer()
    } withDependencies: {
      $0.continuousClock = clock
    }
    let task = await store.send(.start) { $0.isOn = true }
    await clock.advance(by: .seconds(2))
    await store.receive(.tick) { $0.ticks = 1 }
    await store.receive(\.tick) { $0.ticks = 2 }
    await task.cancel()
    #expect(task.isCancelled)
    await store.send(.stop) { $0.isOn = false }
  }

  @Test("Cases can be sent by their key paths, and received with their values")
  func casePaths() async {
    let store = TestStore(initialState: Timer.State()) { Timer() }
    await store.send(\.add, 2)
    await store.receive(\.added, 2) { $0.ticks = 2 }
    await store.send(\.add, 3)
    await store.receive {
      $0 == .added(3)
    } assert: {
      $0.ticks = 5
    }
    await store.send(\.stop)
    #expect(store.state.ticks == 5)
  }

  @Test("Actions that are sent at once are also received, each with the state after it")
  func synchronousActions() async {
    let store = TestStore(initialState: Timer.State()) { Timer() }
    await store.send(.addTwice(1))
    await store.receive(.added(1)) { $0.ticks = 1 }
    await store.receive(.added(1)) { $0.ticks = 2 }
  }

  @Test("In the closure of an assertion the store's state is the previous one")
  func stateInClosure() async {
    let store = TestStore(initialState: Timer.State()) { Timer() }
    await store.send(.add(1))
    await store.receive(\.added) {
      #expect(store.state.ticks == 0)
      $0.ticks = store.state.ticks + 1
    }
    #expect(store.state.ticks == 1)
  }

  @Test("A test can wait for the task of an action")
  func finishTask() async {
    let store = TestStore(initialState: Timer.State()) { Timer() }
    let task = await store.send(.add(1))
    await task.finish()
    await store.receive(\.added) { $0.ticks = 1 }
    await store.finish()
  }

  @Test("A test that is not exhaustive checks the values that it mentions")
  func notExhaustive() async {
    let store = TestStore(initialState: Timer.State()) {
      Timer()
    } withDependencies: {
      $0.continuousClock = TestClock()
    }
    store.exhaustivity = .off
    await store.send(.start)
    await store.send(.addTwice(1))
    await store.send(.add(5))
    await store.receive(\.added, 5) { $0.ticks = 7 }
    await store.send(.stop)
    store.assert { $0.ticks = 7 }
    await store.skipInFlightEffects(strict: false)
  }

  @Test("Exhaustivity can be changed temporarily")
  func withExhaustivity() async {
    let store = TestStore(initialState: Timer.State()) { Timer() }
    await store.withExhaustivity(.off) {
      await store.send(.add(1))
      await store.skipReceivedActions()
    }
    #expect(store.exhaustivity == .on)
    #expect(store.state.ticks == 1)
    let exhaustivity = store.withExhaustivity(.off(showSkippedAssertions: true)) {
      store.exhaustivity
    }
    #expect(exhaustivity == .off(showSkippedAssertions: true))
  }

  @Test("Effects and received actions can be skipped")
  func skipping() async {
    let store = TestStore(initialState: Timer.State()) {
      Timer()
    } withDependencies: {
      $0.continuousClock = TestClock()
    }
    await store.send(.start) { $0.isOn = true }
    await store.skipInFlightEffects()
    await store.send(.addTwice(4))
    await store.skipReceivedActions()
    #expect(store.state.ticks == 8)
  }

  @Test("Dependencies can be changed in the course of a test")
  func dependencies() async {
    let clock = TestClock()
    let store = TestStore(initialState: Timer.State()) { Timer() }
    store.dependencies.continuousClock = clock
    await store.send(.start) { $0.isOn = true }
    await clock.advance(by: .seconds(1))
    await store.receive(\.tick) { $0.ticks = 1 }
    await store.skipInFlightEffects()
    await store.withDependencies {
      $0.continuousClock = .immediate
    } operation: {
      await store.send(.later)
      await store.receive(.added(100)) { $0.ticks = 101 }
    }
  }

  @Test("The store does not wait for an effect that was cancelled by its id")
  func cancelledEffects() async {
    let store = TestStore(initialState: Timer.State()) {
      Timer()
    } withDependencies: {
      $0.continuousClock = TestClock()
    }
    await store.send(.start) { $0.isOn = true }
    await store.send(.stop) { $0.isOn = false }
  }

  @Test("A test store over any core asserts the resulting states")
  func anyCore() async {
    let root = RootCore(initialState: { Timer.State() }, reducer: { Timer() })
    let store = TestStore(core: root.asForeign())
    await store.send(.addTwice(1)) { $0.ticks = 2 }
    await store.send(.add(1))
    await store.finish()
    store.assert { $0.ticks = 3 }
  }
}

/// A feature with effects of every kind.
struct Timer: Reducer {
  struct State: Equatable, Sendable {
    var ticks = 0
    var isOn = false
  }

  enum Action: Equatable, Sendable, CasePathable {
    case start
    case stop
    case tick
    case add(Int)
    case added(Int)
    case addTwice(Int)
    case later

    struct AllCasePaths: Sendable {
      var stop: AnyCasePath<Action, Void> {
        AnyCasePath(embed: { .stop }, extract: { if case .stop = $0 { () } else { nil } })
      }
      var tick: AnyCasePath<Action, Void> {
        AnyCasePath(embed: { .tick }, extract: { if case .tick = $0 { () } else { nil } })
      }
      var add: AnyCasePath<Action, Int> {
        AnyCasePath(embed: Action.add) { if case .add(let value) = $0 { value } else { nil } }
      }
      var added: AnyCasePath<Action, Int> {
        AnyCasePath(_$name: "added", embed: Action.added) {
          if case .added(let value) = $0 { value } else { nil }
        }
      }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
  }

  enum CancelID { case timer }

  @Dependency(\.continuousClock) var clock

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .start:
        state.isOn = true
        return .run { send in
          for await _ in clock.timer(interval: .seconds(1)) { await send(.tick) }
        }
        .cancellable(id: CancelID.timer)
      case .stop:
        state.isOn = false
        return .cancel(id: CancelID.timer)
      case .tick:
        state.ticks += 1
        return .none
      case .add(let count):
        return .run { await $0(.added(count)) }
      case .added(let count):
        state.ticks += count
        return .none
      case .addTwice(let count):
        return .merge(.send(.added(count)), .send(.added(count)))
      case .later:
        return .run { send in
          try await clock.sleep(for: .seconds(100))
          await send(.added(100))
        }
      }
    }
  }
}

extension StoreCore {
  /// Returns the same core as another type, like a core of another process.
  func asForeign() -> any StoreCore<State, Action> {
    ForeignCore(base: self)
  }
}

@MainActor
private final class ForeignCore<Base: StoreCore>: StoreCore {
  let base: Base

  init(base: Base) {
    self.base = base
  }

  var node: StoreNode<Base.State> { base.node }

  func send(_ action: Base.Action) -> StoreTask {
    base.send(action)
  }

  func observeChanges(_ onChange: @escaping @MainActor () -> Void) -> StoreSubscription {
    base.observeChanges(onChange)
  }

  func observeOutputs(
    _ onOutput: @escaping @MainActor (StoreOutput<Base.Action>) -> Void
  ) -> StoreSubscription {
    base.observeOutputs(onOutput)
  }
}
