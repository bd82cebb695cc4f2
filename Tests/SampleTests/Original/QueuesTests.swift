import StoreActor
import StoreActorSchedulers
import Testing

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct QueuesTests {
  @Test func debounce() async {
    let mainQueue = DispatchQueue.test
    let store = TestStore(initialState: Search.State()) {
      Search()
    } withDependencies: {
      $0.mainQueue = mainQueue.eraseToAnyScheduler()
    }
    await store.send(.queryChanged("a")) { $0.query = "a" }
    await mainQueue.advance(by: .milliseconds(200))
    await store.send(.queryChanged("ab")) { $0.query = "ab" }
    await mainQueue.advance(by: .milliseconds(200))
    await mainQueue.advance(by: .milliseconds(100))
    await store.receive(.search)
    await mainQueue.advance(by: .seconds(1))
    await store.receive(.response(["ab 1", "ab 2"])) { $0.results = ["ab 1", "ab 2"] }
  }

  @Test func timer() async {
    let mainQueue = DispatchQueue.test
    let store = TestStore(initialState: Search.State()) {
      Search()
    } withDependencies: {
      $0.mainQueue = mainQueue.eraseToAnyScheduler()
    }
    await store.send(.startButtonTapped)
    await mainQueue.advance(by: .seconds(2))
    await store.receive(.tick) { $0.seconds = 1 }
    await store.receive(.tick) { $0.seconds = 2 }
    await store.send(.stopButtonTapped)
    await mainQueue.run()
  }

  @Test func throttle() async {
    let mainQueue = DispatchQueue.test
    let store = TestStore(initialState: Search.State()) {
      Search()
    } withDependencies: {
      $0.mainQueue = mainQueue.eraseToAnyScheduler()
    }
    await store.send(.save("a"))
    await store.receive(.didSave("a")) { $0.saved = ["a"] }
    await store.send(.save("b"))
    await store.send(.save("c"))
    await mainQueue.advance(by: 1)
    await store.receive(.didSave("c")) { $0.saved = ["a", "c"] }
  }

  @Test func immediate() async {
    let store = TestStore(initialState: Search.State()) {
      Search()
    } withDependencies: {
      $0.mainQueue = .immediate
    }
    await store.send(.queryChanged("a")) { $0.query = "a" }
    await store.receive(.search)
    await store.receive(.response(["a 1", "a 2"])) { $0.results = ["a 1", "a 2"] }
  }

  @Test func unimplemented() async {
    let store = TestStore(initialState: Search.State()) { Search() }
    store.exhaustivity = .off
    await withKnownIssue {
      await store.send(.search).finish()
    } matching: {
      $0.description.contains(#"@Dependency(\.mainQueue)"#)
    }
  }
}
