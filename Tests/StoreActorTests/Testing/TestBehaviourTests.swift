import StoreActor
import Testing

/// Behavior that tests rely on implicitly.
@Suite("A test can rely on the guarantee", .serialized, .timeLimit(.minutes(1)))
@MainActor
struct TestBehaviourTests {
  @Test("that the main serial executor is on while a test store lives, and off afterward")
  func serialExecutor() {
    let before = uncheckedUseMainSerialExecutor
    var store: TestStoreOf<Timer>? = TestStore(initialState: Timer.State()) { Timer() }
    #expect(uncheckedUseMainSerialExecutor)
    #expect(store?.useMainSerialExecutor == true)
    store = nil
    #expect(uncheckedUseMainSerialExecutor == before)
  }

  @Test("that the main serial executor can be switched off and on for a test store")
  func switchedOff() {
    let before = uncheckedUseMainSerialExecutor
    let store = TestStore(initialState: Timer.State()) { Timer() }
    store.useMainSerialExecutor = false
    #expect(uncheckedUseMainSerialExecutor == before)
    store.useMainSerialExecutor = true
    store.useMainSerialExecutor = true
    #expect(uncheckedUseMainSerialExecutor)
    store.useMainSerialExecutor = false
    #expect(uncheckedUseMainSerialExecutor == before)
  }

  @Test("that the main serial executor can be switched off while a test store lives")
  func switchedOffForAll() {
    let before = uncheckedUseMainSerialExecutor
    let store = TestStore(initialState: Timer.State()) { Timer() }
    uncheckedUseMainSerialExecutor = false
    #expect(!uncheckedUseMainSerialExecutor)
    #expect(!store.useMainSerialExecutor)
    do {
      let next = TestStore(initialState: Timer.State()) { Timer() }
      #expect(uncheckedUseMainSerialExecutor)
      #expect(next.useMainSerialExecutor)
    }
    uncheckedUseMainSerialExecutor = before
    #expect(uncheckedUseMainSerialExecutor == before)
  }

  @Test("that effects of one action run in the same order in every run")
  func order() async {
    var orders: Set<[Int]> = []
    for _ in 0..<20 {
      let store = TestStore(initialState: [Int]()) {
        Reduce<[Int], Int> { state, action in
          guard action == 0 else {
            state.append(action)
            return .none
          }
          return .merge((1...10).map { number in .run { await $0(number) } })
        }
      }
      store.exhaustivity = .off
      await store.send(0).finish()
      await store.skipReceivedActions()
      orders.insert(store.state)
    }
    #expect(orders.count == 1)
    #expect(orders.first?.count == 10)
  }

  @Test("that a dependency reaches effects, their tasks and their escaping closures")
  func dependenciesEscape() async {
    let store = TestStore(initialState: [String]()) {
      EscapingReducer()
    } withDependencies: {
      $0.database = "this test's"
    }
    await store.send("ask")
    for source in ["effect", "child task", "task", "callback"] {
      await store.receive("\(source): this test's") { $0.append("\(source): this test's") }
    }
  }

  @Test("that the initial state has the test's dependencies")
  func initialState() {
    struct State: Equatable {
      var source: String
      init() {
        @Dependency(\.database) var database
        source = database
      }
    }
    let store = TestStore(initialState: State()) {
      EmptyReducer<State, Never>()
    } withDependencies: {
      $0.database = "this test's"
    }
    #expect(store.state.source == "this test's")
  }

  @Test("that a temporary change is reverted when the operation fails")
  func putBack() async {
    struct Failure: Error {}
    let store = TestStore(initialState: Timer.State()) {
      Timer()
    } withDependencies: {
      $0.database = "before"
    }
    await #expect(throws: Failure.self) {
      try await store.withExhaustivity(.off) { () async throws in throw Failure() }
    }
    #expect(store.exhaustivity == .on)
    #expect(throws: Failure.self) {
      try store.withDependencies {
        $0.database = "meanwhile"
      } operation: { () throws in
        #expect(store.dependencies.database == "meanwhile")
        throw Failure()
      }
    }
    #expect(store.dependencies.database == "before")
  }

  @Test("that a feature which dismisses itself is dismissed, and accepts no further action")
  func dismissal() async {
    let store = TestStore(initialState: 0) {
      Reduce<Int, Bool> { _, action in
        @Dependency(\.dismiss) var dismiss
        @Dependency(\.isPresented) var isPresented
        return action && isPresented ? .run { [dismiss] _ in await dismiss() } : .none
      }
    }
    await store.send(false)
    #expect(!store.isDismissed)
    await store.send(true).finish()
    #expect(store.isDismissed)
    await withKnownIssue {
      await store.send(false)
    } matching: {
      $0.description.contains("Can't send action to dismissed test store.")
    }
  }

  @Test("that a timeout does not end before other tasks had their turn")
  func turns() async {
    let store = TestStore(initialState: 0) {
      Reduce<Int, Int> { state, action in
        guard action < 20 else {
          state = action
          return .none
        }
        return .run { send in
          await Task.yield()
          await send(action + 1)
        }
      }
    }
    store.exhaustivity = .off
    await store.send(0)
    await store.receive(20, timeout: .nanoseconds(1)) { $0 = 20 }
  }
}

/// Sends the database that each part of an effect sees.
private struct EscapingReducer: Reducer {
  @Dependency(\.database) var database

  var body: some Reducer<[String], String> {
    Reduce { state, action in
      guard action == "ask" else {
        state.append(action)
        return .none
      }
      return .run { send in
        await send("effect: \(database)")
        async let child = database
        await send("child task: \(await child)")
        await send("task: \(await Task { database }.value)")
        let answer = withEscapedDependencies { dependencies in
          Task.detached { dependencies.yield { database } }
        }
        await send("callback: \(await answer.value)")
      }
    }
  }
}
