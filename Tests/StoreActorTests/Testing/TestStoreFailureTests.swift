import StoreActor
import Testing

@Suite("The issues of a test store", .timeLimit(.minutes(1)))
@MainActor
struct TestStoreFailureTests {
  private func store() -> TestStoreOf<Timer> {
    TestStore(initialState: Timer.State()) {
      Timer()
    } withDependencies: {
      $0.continuousClock = TestClock()
    }
  }

  @Test("A change that differs from the expected one is shown as a difference")
  func wrongChange() async {
    let store = store()
    await store.send(.add(1))
    await expectIssue(
      "A state change does not match expectation: …",
      "−   ticks: 2,",
      "+   ticks: 1,",
      "isOn: false",
      "(Expected: −, Actual: +)",
    ) {
      await store.receive(\.added) { $0.ticks = 2 }
    }
  }

  @Test("A change that was not asserted is shown")
  func unexpectedChange() async {
    let store = store()
    await expectIssue(
      "State was not expected to change, but a change occurred: …",
      "+   isOn: true",
    ) {
      await store.send(.start)
    }
    await store.skipInFlightEffects()
  }

  @Test("A closure without a change is an issue")
  func noChange() async {
    let store = store()
    await expectIssue(
      "Expected state to change, but no change occurred.",
      "The closure leaves the state as it is. To fix, set in it what the action changes",
    ) {
      await store.send(.stop) { _ in }
    }
  }

  @Test("An error of a closure is reported")
  func throwing() async {
    struct Failure: Error {}
    let store = store()
    await expectIssue("The closure of an assertion threw an error: Failure()") {
      await store.send(.stop) { _ in throw Failure() }
    }
  }

  @Test("An action that never arrives is reported, with a hint if no effect runs")
  func nothingReceived() async {
    let store = store()
    await expectIssue(
      "Expected to receive the following action, but didn't after 1e-09 seconds: …",
      "Timer.Action.tick",
      "There are no in-flight effects that could deliver this action.",
    ) {
      await store.receive(.tick, timeout: .nanoseconds(1))
    }
    await expectIssue("Expected to receive the following action, but didn't: …", "Action.tick") {
      await store.receive(\.tick, timeout: .zero)
    }
    await expectIssue(
      "Expected to receive an action matching case path of a value of type \"Int\", but didn't."
    ) {
      await store.receive(\.add, timeout: .zero)
    }
    await expectIssue("Expected to receive an action matching case path \\.added, but didn't.") {
      await store.receive(\.added, timeout: .zero)
    }
    await expectIssue("Expected to receive an action matching a predicate, but didn't.") {
      await store.receive({ $0 == .tick }, timeout: .zero)
    }
  }

  @Test("An action that has not arrived is reported, with another hint if an effect runs")
  func notReceivedYet() async {
    let store = store()
    await store.send(.start) { $0.isOn = true }
    await expectIssue("There are effects in-flight.", "advance the test clock") {
      await store.receive(.tick, timeout: .zero)
    }
    await store.send(.stop) { $0.isOn = false }
  }

  @Test("Another action than the expected one is shown as a difference")
  func wrongAction() async {
    let store = store()
    await store.send(.add(1))
    await expectIssue(
      "Received unexpected action: …",
      "− Timer.Action.added(2)",
      "+ Timer.Action.added(1)",
      "(Expected: −, Received: +)",
    ) {
      await store.receive(.added(2)) { $0.ticks = 1 }
    }
    await store.send(.add(1))
    await expectIssue(
      "Expected to receive an action matching case path of a value of type \"Int\", but didn't.",
      "Received unexpected action: …",
    ) {
      await store.receive(\.add) { $0.ticks = 2 }
    }
  }

  @Test("Received actions have to be handled before the next one is sent")
  func unhandledBeforeSend() async {
    let store = store()
    await store.send(.addTwice(1))
    await expectIssue(
      "Must handle 2 received actions before sending an action: …",
      "1. Timer.Action.added(1)",
      "2. Timer.Action.added(1)",
      "To fix, receive the actions with \"store.receive\" first.",
    ) {
      await store.send(.stop) { $0.ticks = 2 }
    }
    await store.skipReceivedActions()
  }

  @Test("Unreceived actions are reported when the store is released")
  func unhandledAtTheEnd() async {
    await expectIssue(
      "The store received 1 unexpected action by the end of the test: …",
      "Timer.Action.added(1)",
      "skipReceivedActions",
    ) {
      let store = store()
      let task = await store.send(.add(1))
      await task.finish()
    }
  }

  @Test("Several unreceived actions are listed, each with its number")
  func severalUnhandledAtTheEnd() async {
    await expectIssue(
      "The store received 2 unexpected actions by the end of the test: …",
      "1. Timer.Action.added(3)",
      "2. Timer.Action.added(3)",
    ) {
      let store = store()
      await store.send(.addTwice(3))
    }
  }

  @Test("Issues at the end of a test are shown at the line that caused them")
  func locations() async {
    let lines = LockIsolated<[Int?]>([])
    await withKnownIssue {
      let store = store()
      await store.send(.start) { $0.isOn = true }
      await store.send(.addTwice(1))
      await store.finish(timeout: .zero)
    } matching: { issue in
      let line = issue.sourceLocation?.line
      lines.withValue { $0.append(line) }
      return true
    }
    let first = #line - 8
    // `finish` reports the received actions and the effect, the released store the effect again.
    #expect(lines.value == [first + 2, first + 2, first])
  }

  @Test("A single action that was not handled before the next is sent is counted as one")
  func oneUnhandledBeforeSend() async {
    let store = store()
    await store.send(.add(1)).finish()
    await expectIssue(
      "Must handle 1 received action before sending an action: …",
      "Timer.Action.added(1)",
    ) {
      await store.send(.stop) { $0.ticks = 1 }
    }
    await store.skipReceivedActions()
  }

  @Test("An assertion without an action fails like one with an action")
  func assertion() async {
    let store = store()
    await expectIssue("A state change does not match expectation: …", "−   ticks: 3,") {
      store.assert { $0.ticks = 3 }
    }
  }

  @Test("Values that differ but look equal are both shown in full")
  func invisibleDifference() async {
    struct Opaque: Equatable, CustomDumpStringConvertible {
      var value = 0
      var customDumpDescription: String { "Opaque" }
    }
    let store = TestStore(initialState: Opaque()) {
      Reduce<Opaque, Int> { state, action in
        state.value = action
        return .none
      }
    }
    await expectIssue(
      "State was not expected to change, but a change occurred: …",
      "Expected:",
      "Actual:",
      "Opaque",
    ) {
      await store.send(1)
    }
  }

  @Test("A running effect is reported when the store is released, with its action")
  func effectAtTheEnd() async {
    await expectIssue(
      "An effect returned for this action is still running. It must complete before the end of the",
      "Timer.Action.start",
      "Advance the test clock",
      "skipInFlightEffects",
    ) {
      let store = store()
      await store.send(.start) { $0.isOn = true }
    }
  }

  @Test("Waiting for effects that do not end times out, with their actions")
  func finishTimesOut() async {
    let store = store()
    let task = await store.send(.start) { $0.isOn = true }
    await expectIssue(
      "Expected effects to finish, but there are still effects in-flight",
      "Timer.Action.start",
    ) {
      await store.finish(timeout: .zero)
    }
    await expectIssue("Expected task to finish, but it is still in-flight") {
      await task.finish(timeout: .zero)
    }
    await task.cancel()
  }

  @Test("Skipping without anything to skip is a mistake, unless it is permitted")
  func nothingToSkip() async {
    let store = store()
    await expectIssue("There were no received actions to skip.") {
      await store.skipReceivedActions()
    }
    await expectIssue("There were no in-flight effects to skip.") {
      await store.skipInFlightEffects()
    }
    await store.skipReceivedActions(strict: false)
    await store.skipInFlightEffects(strict: false)
  }

  @Test("A test that is not exhaustive still fails for its own assertions")
  func notExhaustive() async {
    let store = store()
    store.exhaustivity = .off
    await expectIssue("A state change does not match expectation: …") {
      await store.send(.addTwice(1)) { $0.ticks = 5 }
    }
    await expectIssue("Expected to receive the following action, but didn't: …") {
      await store.receive(.tick, timeout: .zero)
    }
  }

  @Test("Actions of another process's effects cannot be received, and the issue explains this")
  func foreign() async {
    let root = RootCore(initialState: { Timer.State() }, reducer: { Timer() })
    let store = TestStore(core: root.asForeign())
    await expectIssue(
      "Expected to receive the following action",
      "reduced in another process",
      "store.assert",
    ) {
      await store.receive(.tick)
    }
  }
}
