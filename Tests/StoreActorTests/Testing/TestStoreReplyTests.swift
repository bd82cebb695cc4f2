import StoreActor
import Testing

@Suite("Replies in tests", .timeLimit(.minutes(1)))
@MainActor
struct TestStoreReplyTests {
  private func store() -> TestStore<Adder.State, Adder.Action> {
    TestStore(initialState: Adder.State()) { Adder() }
  }

  @Test("A test asserts a reply, and the changes of its action")
  func asserted() async {
    let store = store()
    await store.send(.add(2), replied: 2) { $0.count = 2 }
    await store.send(\.add, 1, replied: 3) { $0.count = 3 }
    await store.send(\.read, replied: "3")
    await store.send(.reset) { $0.count = 0 }
  }

  @Test("A reply that is not asserted is a failure, unless the test is not exhaustive")
  func unasserted() async {
    let store = store()
    await expectIssue("The reducer has replied, and the test did not assert it") {
      await store.send(.add(2)) { $0.count = 2 }
    }
    store.exhaustivity = .off
    await store.send(.add(2))
  }

  @Test("An expected reply that is missing, or another one, is a failure")
  func missing() async {
    let store = store()
    await expectIssue("Expected a reply, but there is none of its type") {
      await store.send(.reset, replied: 1)
    }
    await expectIssue("Expected a reply, but there is none of its type") {
      await store.send(.read, replied: 1)
    }
    await expectIssue("The reply of the reducer is another one") {
      await store.send(.add(1), replied: 2) { $0.count = 1 }
    }
    await expectIssue(#"The action was refused: "No.""#) {
      await store.send(.refuse, replied: 2)
    }
  }
}

private struct Adder: Reducer {
  struct State: Equatable, Sendable {
    var count = 0
  }

  @CasePathable
  enum Action: Equatable, Sendable {
    case add(Int)
    case read, reset, refuse
  }

  func reduce(into state: inout State, action: Action) -> Effect<Action> {
    switch action {
    case .add(let number):
      state.count += number
      return .reply(state.count)
    case .read: return .reply("\(state.count)")
    case .reset:
      state.count = 0
      return .none
    case .refuse: return .refuse("No.")
    }
  }
}
