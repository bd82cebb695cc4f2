import StoreActor
import Testing

/// A counter whose effects change the shared value.
@Reducer
private struct Remote {
  @ObservableState
  struct State: Equatable {
    @Shared var count: Int
    var child: Tally.State
    var isDone = false
    @Presents var sheet: Tally.State?
  }

  enum Action {
    case addTwice
    case addLater(sends: Bool)
    case done
    case open
    case sheet(PresentationAction<Tally.Action>)
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .addTwice:
        state.$count.withLock { $0 += 1 }
        return .send(.done)
      case .addLater(let sends):
        return .run { [count = state.$count] send in
          count.withLock { $0 += 1 }
          if sends { await send(.done) }
        }
      case .done:
        state.isDone = true
        state.$count.withLock { $0 += 1 }
        return .none
      case .open:
        state.sheet = Tally.State(count: state.$count)
        state.$count.withLock { $0 += 1 }
        return .none
      case .sheet:
        return .none
      }
    }
    .ifLet(\.$sheet, action: \.sheet) { Tally() }
  }
}

@Suite("Shared values in a test store", .timeLimit(.minutes(1)))
@MainActor
struct SharedTestStoreTests {
  private func store(_ count: Shared<Int> = Shared(value: 0)) -> TestStoreOf<Remote> {
    TestStore(initialState: Remote.State(count: count, child: Tally.State(count: count))) {
      Remote()
    }
  }

  @Test("Each action's changes are asserted with it; a change in one place applies to all")
  func perAction() async {
    let store = store()
    await store.send(.addTwice) { $0.$count.withLock { $0 = 1 } }
    #expect(store.state.count == 1)
    #expect(store.state.child.count == 1)
    await store.receive(\.done) {
      $0.isDone = true
      $0.child.$count.withLock { $0 += 1 }
    }
    await store.send(.addTwice) {
      $0.$count.withLock { $0 += 1 }
      #expect($0.child.count == 3)
    }
    await store.receive(\.done) { $0.$count.withLock { $0 += 1 } }
  }

  @Test("Changes in an assertion are invisible outside it")
  func expectationsAreNoChanges() async {
    let count = Shared(value: 0)
    let store = store(count)
    await expectIssue("A state change does not match expectation") {
      await store.send(.open) {
        $0.sheet = Tally.State(count: $0.$count)
        $0.$count.withLock { $0 = 100 }
      }
    }
    #expect(count.wrappedValue == 1)
    await store.send(.sheet(.presented(.add(2)))) { $0.sheet?.$count.withLock { $0 = 3 } }
    #expect(count.wrappedValue == 3)
  }

  @Test("A change that was not asserted is shown as a difference")
  func unasserted() async {
    let store = store()
    await expectIssue(
      "State was not expected to change, but a change occurred",
      "−   _count: 0,",
      "+   _count: 1,",
    ) {
      await store.send(.addTwice)
    }
    await store.skipReceivedActions()
  }

  @Test("A new state in an assertion starts with the values before the action, plus its changes")
  func newState() async {
    let store = store()
    await store.send(.open) {
      $0.sheet = Tally.State(count: $0.$count)
      $0.$count.withLock { $0 += 1 }
    }
    await store.send(.sheet(.presented(.tap))) { $0.sheet?.taps = 1 }
  }

  @Test("Changes by an effect are asserted with the next action")
  func effectWithAction() async {
    let store = store()
    await store.send(.addLater(sends: true))
    await store.receive(\.done) {
      $0.isDone = true
      $0.$count.withLock { $0 += 2 }
    }
  }

  @Test("Changes by an effect without an action are asserted separately")
  func effectWithoutAction() async {
    let store = store()
    await store.send(.addLater(sends: false))
    await store.finish()
    store.assert { $0.$count.withLock { $0 += 1 } }
    await expectIssue("A state change does not match expectation") {
      store.assert { $0.$count.withLock { $0 += 1 } }
    }
  }

  @Test("Changes without an assertion are reported at the end, and by an empty assertion")
  func neverAsserted() async {
    let count = Shared(value: 0)
    await expectIssue("Shared values were changed without an action", "+   _count: 4,") {
      let one = store(count)
      await one.send(.addTwice) { $0.$count.withLock { $0 = 1 } }
      await one.receive(\.done) {
        $0.isDone = true
        $0.$count.withLock { $0 = 2 }
      }
      count.withLock { $0 = 4 }
    }
    let other = store(count)
    count.withLock { $0 = 5 }
    await expectIssue("A state change does not match") { other.assert { _ in } }
  }

  @Test("The store waits for changes by others, for any number of changes")
  func received() async {
    let count = Shared(value: 0)
    let store = store(count)
    let changing = Task {
      for _ in 0..<3 {
        await Task.megaYield()
        count.withLock { $0 += 1 }
      }
    }
    await store.receiveSharedChange { $0.$count.withLock { $0 = 3 } }
    await changing.value
    await store.send(.addTwice) { $0.$count.withLock { $0 = 4 } }
    await store.receive(\.done) {
      $0.isDone = true
      $0.$count.withLock { $0 = 5 }
    }
  }

  @Test("Unexpected changes by others are shown as a difference")
  func receivedOther() async {
    let count = Shared(value: 0)
    let store = store(count)
    count.withLock { $0 = 4 }
    await expectIssue(
      "A state change does not match expectation: …",
      "−   _count: 3,",
      "+   _count: 4,",
    ) {
      await store.receiveSharedChange(timeout: .zero) { $0.$count.withLock { $0 = 3 } }
    }
    await expectIssue(
      "Expected shared values to be changed by others, but they weren't.",
      "To fix, see to it that whoever changes them",
    ) {
      await store.receiveSharedChange(timeout: .zero) { $0.$count.withLock { $0 = 5 } }
    }
    store.exhaustivity = .off
    count.withLock { $0 = 6 }
    await store.receiveSharedChange { $0.$count.withLock { $0 = 6 } }
  }

  @Test("A shared value in a place that stores do not search is reported")
  func unfound() async {
    struct State: Equatable {
      static func == (lhs: Self, rhs: Self) -> Bool { true }
      var rows: [(name: String, hidden: any Sendable)]
    }
    @Shared(value: 0) var count
    await expectIssue("The shared value \"rows.1.hidden\" is in the state where no store") {
      let state = State(rows: [("one", 1), ("two", $count)])
      _ = TestStore<State, Bool>(initialState: state) { EmptyReducer() }.state
    }
  }

  @Test("A test that is not exhaustive asserts a selection")
  func notExhaustive() async {
    let count = Shared(value: 0)
    let store = store(count)
    store.exhaustivity = .off
    await store.send(.addTwice) { $0.$count.withLock { $0 = 1 } }
    await store.receive(\.done)
    count.withLock { $0 = 9 }
    store.assert { #expect($0.count == 9) }
  }

  @Test("Every test begins with its own values")
  func ownValues() async { await changeTwice() }

  @Test("The next test also begins with its own values")
  func ownValuesAgain() async { await changeTwice() }

  /// Expects that no test has changed the value, and changes it.
  private func changeTwice() async {
    @Shared(.inMemory("count")) var count = 0
    let store = store($count)
    await store.send(.addTwice) { $0.$count.withLock { $0 = 1 } }
    await store.receive(\.done) {
      $0.isDone = true
      $0.$count.withLock { $0 = 2 }
    }
    #expect(count == 2)
  }
}

/// A counter that can be set to its current value.
@Reducer
private struct Resettable {
  @ObservableState
  struct State: Equatable {
    @Shared(value: 0) var count
  }

  enum Action { case reset, look, resetLater }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .reset: state.$count.withLock { $0 = 0 }
      case .look: break
      case .resetLater: return .send(.reset)
      }
      return .none
    }
  }
}

extension SharedTestStoreTests {
  @Test func `Setting a value to its old value can be asserted`() async {
    let store = TestStore(initialState: Resettable.State()) { Resettable() }
    await store.send(.reset) { $0.$count.withLock { $0 = 0 } }
    await store.send(.reset)
    await store.send(.resetLater)
    await store.receive(\.reset) { $0.$count.withLock { $0 = 0 } }
  }

  @Test func `A value that no reducer set is not asserted as set`() async {
    let store = TestStore(initialState: Resettable.State()) { Resettable() }
    await withKnownIssue {
      await store.send(.look) { $0.$count.withLock { $0 = 0 } }
    } matching: {
      $0.description.contains("no change occurred")
    }
    await withKnownIssue {
      await store.send(.reset) { $0.$count.withLock { $0 = 1 } }
    } matching: {
      $0.description.contains("does not match")
    }
  }
}
