import Testing

@testable import StoreActor

@Suite("Outputs in a test store", .timeLimit(.minutes(1)))
@MainActor
struct TestStoreOutputTests {
  private let clock = TestClock()

  private func store(_ exhaustivity: Exhaustivity = .on) -> TestStoreOf<Oven> {
    let store = TestStore(initialState: Oven.State()) {
      Oven()
    } withDependencies: {
      $0.continuousClock = clock
    }
    store.exhaustivity = exhaustivity
    return store
  }

  @Test("They are received in the order in which they were emitted, separately from actions")
  func order() async {
    let store = store()
    await store.send(.rung(times: 2)) { $0.rings = 2 }
    await store.receive(output: Oven.Output.rang(1))
    await store.receive(output: Oven.Output.rang(2))
    await store.send(.heated)
    await store.receive(outputOf: Oven.Note.self) { $0.text == "warm" }
    await store.receive(.ready) { $0.isReady = true }
    await store.receive(outputOf: Oven.Note.self)
  }

  @Test("The store waits for an effect's output")
  func later() async {
    let store = store()
    await store.send(.baked)
    await clock.advance(by: .seconds(5))
    await store.receive(output: Oven.Output.done)
  }

  @Test("An output that never arrives is reported, with a hint")
  func missing() async {
    let store = store()
    await expectIssue(
      "Expected to receive the following output, but didn't: …",
      "Oven.Output.done",
      "There are no in-flight effects that could put it out.",
    ) {
      await store.receive(output: Oven.Output.done, timeout: .zero)
    }
    await expectIssue(
      "Expected to receive an output of type \"Output\" that is asked for, but didn't after",
      "There are no in-flight effects",
    ) {
      await store.receive(outputOf: Oven.Output.self, timeout: .nanoseconds(1))
    }
    await store.send(.baked)
    await expectIssue("There are effects in-flight.", "advance the test clock") {
      await store.receive(output: Oven.Output.done, timeout: .zero)
    }
    await store.skipInFlightEffects()
  }

  @Test("Another output than the expected one is shown as a difference")
  func wrong() async {
    let store = store()
    await store.send(.rung(times: 2)) { $0.rings = 2 }
    await expectIssue(
      "Received unexpected output: …",
      "− Oven.Output.rang(2)",
      "+ Oven.Output.rang(1)",
      "(Expected: −, Received: +)",
    ) {
      await store.receive(output: Oven.Output.rang(2))
    }
    await expectIssue(
      "Expected to receive the following output, but didn't: …",
      "\"x\"",
      "Received unexpected output: …",
      "Oven.Output.rang(2)",
    ) {
      await store.receive(output: "x")
    }
    await store.send(.heated)
    await expectIssue("an output of type \"Note\" that is asked for, but didn't.", "\"warm\"") {
      await store.receive(outputOf: Oven.Note.self) { $0.text.isEmpty }
    }
    await store.skipReceivedActions()
    await store.skipReceivedOutputs()
  }

  @Test("They have to be received before the next action is sent")
  func beforeSend() async {
    let store = store()
    await store.send(.rung(times: 2)) { $0.rings = 2 }
    await expectIssue(
      "Must handle 2 received outputs before sending an action: …",
      "1. Oven.Output.rang(1)",
      "2. Oven.Output.rang(2)",
      "receive the outputs with \"store.receive(output:)\" first.",
    ) {
      await store.send(.rung(times: 0))
    }
    await store.skipReceivedOutputs()
  }

  @Test("Unreceived outputs are reported when the store is released, at the line of their action")
  func atTheEnd() async {
    await expectIssue(
      "The feature put out 1 unexpected output by the end of the test: …",
      "Unhandled outputs:",
      "Oven.Output.rang(1)",
      "To fix, receive the outputs with \"store.receive(output:)\".",
      "skipReceivedOutputs",
      "store.exhaustivity = .off",
    ) {
      let store = store()
      await store.send(.rung(times: 1)) { $0.rings = 1 }
    }
  }

  @Test("A test store that is not exhaustive finds the output, and ignores the others")
  func nonExhaustive() async {
    let store = store(.off)
    await store.send(.rung(times: 3))
    await store.receive(output: Oven.Output.rang(2))
    await store.send(.rung(times: 1))
    await expectIssue("Expected to receive the following output", "Oven.Output.rang(3)") {
      await store.receive(output: Oven.Output.rang(3), timeout: .zero)
    }
    await store.receive(output: Oven.Output.rang(4))
  }

  @Test("Skipped outputs are shown if that is enabled")
  func shown() async {
    let store = store(.off(showSkippedAssertions: true))
    var skipped: [String] = []
    store.recorder.showSkipped = { skipped.append($0) }
    await store.send(.rung(times: 3))
    skipped = []
    await store.receive(output: Oven.Output.rang(3))
    #expect(skipped.count == 1)
    #expect(skipped.first?.contains("2 outputs were skipped: …") == true)
    #expect(skipped.first?.contains("1. Oven.Output.rang(1)") == true, "\(skipped)")
  }

  @Test("Skipping requires outputs to skip, unless it is not strict")
  func nothingToSkip() async {
    let store = store()
    await store.skipReceivedOutputs(strict: false)
    await expectIssue("There were no received outputs to skip.") {
      await store.skipReceivedOutputs()
    }
  }

  @Test("Outputs of a core that is not the root of this process are also received")
  func foreignCore() async {
    let root = RootCore(initialState: { Oven.State() }, reducer: { Oven() })
    let store = TestStore<Oven.State, Oven.Action>(core: root)
    await store.send(.rung(times: 1)) { $0.rings = 1 }
    await store.receive(output: Oven.Output.rang(1))
    await expectIssue("only outputs of the type come here with which its scope is exposed") {
      await store.receive(output: Oven.Output.done, timeout: .zero)
    }
  }
}

/// An oven that emits rings.
private struct Oven: Reducer {
  struct State: Equatable {
    var rings = 0
    var isReady = false
  }

  enum Action: Equatable, Sendable {
    case rung(times: Int)
    case heated
    case ready
    case baked
  }

  enum Output: Equatable, Sendable {
    case rang(Int)
    case done
  }

  struct Note: Sendable {
    var text: String
  }

  @Dependency(\.continuousClock) var clock

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .rung(let times):
        let first = state.rings
        state.rings += times
        return .merge((0..<times).map { .output(Output.rang(first + $0 + 1)) })
      case .heated: return .merge(.output(Note(text: "warm")), .send(.ready))
      case .ready:
        state.isReady = true
        return .output(Note(text: "ready"))
      case .baked:
        return .run { send in
          try await clock.sleep(for: .seconds(5))
          await send.output(Output.done)
        }
      }
    }
  }
}
