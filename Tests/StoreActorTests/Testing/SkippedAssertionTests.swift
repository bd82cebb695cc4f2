import Testing

@testable import StoreActor

@Suite("A test store that shows skipped assertions", .timeLimit(.minutes(1)))
@MainActor
struct SkippedAssertionTests {
  private let shown = LockIsolated<[String]>([])

  private func store(showSkippedAssertions: Bool = true) -> TestStoreOf<Timer> {
    let store = TestStore(initialState: Timer.State()) {
      Timer()
    } withDependencies: {
      $0.continuousClock = TestClock()
    }
    store.exhaustivity = .off(showSkippedAssertions: showSkippedAssertions)
    store.recorder.showSkipped = { [shown] text in shown.withValue { $0.append(text) } }
    return store
  }

  private func expectShown(_ texts: String..., sourceLocation: SourceLocation = #_sourceLocation) {
    let last = shown.value.last ?? "nothing"
    for text in texts {
      #expect(last.contains(text), "\(last)", sourceLocation: sourceLocation)
    }
  }

  @Test("prints changes that were not asserted, with the place")
  func changes() async {
    let store = store()
    await store.send(.start)
    expectShown(
      "Skipped assertion at StoreActorTests/SkippedAssertionTests.swift:\(#line - 2)",
      "These changes were not asserted: …",
      "+   isOn: true",
    )
    await store.skipInFlightEffects()
    expectShown("The effects of 1 action were skipped: …", "Timer.Action.start")
  }

  @Test("prints no asserted changes")
  func asserted() async {
    let store = store()
    await store.send(.stop)
    await store.send(.add(1))
    await store.receive(\.added) { $0.ticks = 1 }
    #expect(shown.value == [])
  }

  @Test("prints received actions that were skipped")
  func receivedActions() async {
    let store = store()
    await store.send(.addTwice(1))
    await store.send(.add(2)).finish()
    expectShown("Must handle 2 received actions before sending an action: …")
    await store.send(.addTwice(3)).finish()
    await store.receive(\.added, 3) { $0.ticks = 7 }
    await store.skipReceivedActions()
    #expect(shown.value.contains { $0.contains("1 received action was skipped: …") })
  }

  @Test("prints at its end the issues that an exhaustive store would report")
  func theEnd() async {
    var store: TestStoreOf<Timer>? = store()
    await store?.send(.start)
    await store?.send(.addTwice(1))
    store = nil
    let texts = shown.value.suffix(2)
    #expect(texts.first?.contains("The store received 2 unexpected actions") == true)
    #expect(texts.last?.contains("An effect returned for this action is still running.") == true)
  }

  @Test("prints no text if skipped assertions are hidden")
  func silent() async {
    let store = store(showSkippedAssertions: false)
    await store.send(.start)
    await store.send(.addTwice(1))
    await store.skipReceivedActions()
    await store.skipInFlightEffects()
    #expect(shown.value == [])
  }
}
