import StoreActor
import Testing

@Suite("Refusals in tests", .timeLimit(.minutes(1)))
@MainActor
struct TestStoreRefusalTests {
  private func store(_ jobs: Int = 1) -> TestStore<Jobs.State, Jobs.Action> {
    TestStore(initialState: Jobs.State(count: jobs)) { Jobs() }
  }

  @Test("A test asserts a refusal, and the steps after it")
  func asserted() async {
    let store = store()
    await store.send(.add, refused: "At most 1 job.")
    await store.send(\.add, refused: "At most 1 job.", code: "full")
    await store.send(\.remove, 3, refused: "There are 1.")
    await store.send(.remove(1)) { $0.count = 0 }
    await store.send(.add) { $0.count = 1 }
  }

  @Test("A refusal of an action that follows by send is that of the sent action")
  func follower() async {
    let store = store()
    await store.send(.renameAndAdd, refused: "At most 1 job.")
    await store.send(.remove(1)) { $0.count = 0 }
    await store.send(.renameAndAdd) { $0.name = "new" }
    await store.receive(\.add) { $0.count = 1 }
  }

  @Test("A test receives the refused action of an effect")
  func received() async {
    let store = store()
    await store.send(.addLater)
    await store.receive(\.add, refused: "At most 1 job.", code: "full")
    await store.send(.addLater)
    await store.receive(.add, refused: "At most 1 job.")
  }

  @Test("A refusal that is not asserted is a failure")
  func unasserted() async {
    let store = store()
    await expectIssue(#"The action was refused: "At most 1 job.""#) { await store.send(.add) }
    await store.send(.addLater)
    await expectIssue(#"The received action was refused: "At most 1 job.""#) {
      await store.receive(\.add)
    }
    await store.send(.addLater)
    await expectIssue("The store received 1 unexpected action") { await store.finish() }
  }

  @Test("An expected refusal that does not occur is a failure")
  func missing() async {
    let store = store(0)
    store.exhaustivity = .off
    await expectIssue("Expected a refusal, but the action was applied at revision 1") {
      await store.send(.add, refused: "At most 1 job.")
    }
    await store.send(.remove(1)) { $0.count = 0 }
    await store.send(.addLater)
    await expectIssue("Expected a refusal, but the action was accepted") {
      await store.receive(\.add, refused: "At most 1 job.")
    }
  }

  @Test("Another reason and another code are failures")
  func other() async {
    let store = store()
    await expectIssue("was refused for another reason") {
      await store.send(.add, refused: "At most 2 jobs.")
    }
    await expectIssue("was refused with another code") {
      await store.send(.add, refused: "At most 1 job.", code: "empty")
    }
  }
}

private struct Jobs: Reducer {
  struct State: Equatable, Sendable {
    var count = 0
    var name = ""
  }

  @CasePathable
  enum Action: Equatable, Sendable {
    case add, addLater, renameAndAdd
    case remove(Int)
  }

  func reduce(into state: inout State, action: Action) -> Effect<Action> {
    switch action {
    case .add:
      state.count += 1
      return state.count > 1 ? .refuse("At most 1 job.", code: "full") : .none
    case .addLater: return .run { send in await send(.add) }
    case .renameAndAdd:
      state.name = "new"
      return .send(.add)
    case .remove(let count):
      guard count <= state.count else { return .refuse("There are \(state.count).") }
      state.count -= count
      return .none
    }
  }
}
