import StoreActorClassic
import Testing

private struct Feature: Equatable {
  var count = 0
  var text = ""
}

private enum FeatureAction: Equatable {
  case increment
  case fetch
  case fetched(Int)
  case forever
}

private struct FeatureEnvironment {
  var fetch: () -> Effect<Int, Never>
}

private let featureReducer = Reducer<Feature, FeatureAction, FeatureEnvironment> {
  state,
  action,
  environment in
  switch action {
  case .increment:
    state.count += 1
    return .none
  case .fetch:
    return environment.fetch().map(FeatureAction.fetched)
  case .fetched(let count):
    state.count = count
    return .none
  case .forever:
    return .run { _ in AnyCancellable {} }
  }
}

@MainActor
@Suite("The test store", .timeLimit(.minutes(1)))
struct TestStoreTests {
  private typealias Subject = TestStore<
    Feature, Feature, FeatureAction, FeatureAction, FeatureEnvironment
  >

  private func store(_ effect: Effect<Int, Never> = Effect(value: 7)) -> Subject {
    TestStore(
      initialState: Feature(),
      reducer: featureReducer,
      environment: FeatureEnvironment(fetch: { effect }),
    )
  }

  private func expectReport(_ texts: String..., from body: @MainActor () -> Void) {
    withKnownIssue {
      body()
    } matching: { issue in
      texts.allSatisfy { text in issue.description.contains(text) }
    }
  }

  @Test("A state that differs from the expected one is reported with the difference")
  func mismatch() {
    expectReport(
      "A state change does not match expectation",
      "−   count: 2,",
      "+   count: 1,",
    ) {
      self.store().send(.increment) { $0.count = 2 }
    }
  }

  @Test("A change that is not stated is reported")
  func unstated() {
    expectReport("State was not expected to change, but a change occurred") {
      self.store().send(.increment)
    }
  }

  @Test("An assertion without a change is reported")
  func unnecessary() {
    expectReport("Expected state to change, but no change occurred.") {
      let store = self.store(.none)
      store.send(.fetch) { _ in }
    }
  }

  @Test("An action that was not received is reported at the end, and before the next one is sent")
  func unreceived() {
    expectReport("The store received 1 unexpected action after this one", "fetched(7)") {
      self.store().send(.fetch)
    }
    let store = store()
    store.send(.fetch)
    expectReport("Must handle 1 received action before sending an action") {
      store.send(.increment) { $0.count = 8 }
    }
    store.receive(.fetched(7)) { $0.count = 7 }
  }

  @Test("Another action than the expected one is reported with the difference")
  func unexpected() {
    let store = store()
    store.send(.fetch)
    expectReport(
      "Received unexpected action",
      "− FeatureAction.fetched(8)",
      "+ FeatureAction.fetched(7)",
    ) {
      store.receive(.fetched(8)) { $0.count = 7 }
    }
  }

  @Test("A missing action is reported, with the remedy")
  func missing() {
    let store = store(.none)
    expectReport("Expected to receive an action, but received none.", "No effects are running") {
      store.receive(.fetched(1))
    }
  }

  @Test("A running effect is reported at the end, but not after its task was cancelled")
  func running() async {
    expectReport("An effect returned for this action is still running") {
      self.store().send(.forever)
    }
    let store = store()
    let task = await store.send(.forever)
    await task.cancel()
  }

  @Test("The environment can be changed during a test")
  func environment() {
    let store = store()
    store.environment.fetch = { Effect(value: 9) }
    store.send(.fetch)
    store.receive(.fetched(9)) { $0.count = 9 }
  }

  @Test("A scoped test store asserts a part of the state")
  func scoping() {
    let store = store()
    let counts = store.scope(state: \.count, action: { (_: Void) in FeatureAction.increment })
    counts.send(()) { $0 = 1 }
    #expect(store.state.count == 1)
  }

  @Test("The test store waits for async effects")
  func asyncEffects() async {
    let store = store(
      .task {
        await Task.yield()
        return 5
      }
    )
    await store.send(.fetch)
    await store.receive(.fetched(5)) { $0.count = 5 }
    await store.send(.fetch)
    await store.receive(.fetched(5))
    await store.finish()
  }

  @Test("An async action that does not arrive in time is reported")
  func timeout() async {
    let store = store(.none)
    await withKnownIssue {
      await store.receive(.fetched(1), timeout: 0)
    } matching: {
      $0.description.contains("Expected to receive an action")
    }
  }
}
