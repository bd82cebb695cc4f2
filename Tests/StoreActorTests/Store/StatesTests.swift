import StoreActor
import Testing

@Suite("The states of a store as a sequence", .timeLimit(.minutes(1)))
@MainActor
struct StatesTests {
  @Test("It begins with the current state and continues with the newest after each commit")
  func states() async {
    let store = Store(initialState: Counter.State()) { Counter() }
    var states = AsyncStream(statesOf: store).makeAsyncIterator()
    #expect(await states.next()?.count == 0)
    store.send(.increment)
    #expect(await states.next()?.count == 1)
    store.send(.increment)
    store.send(.increment)
    #expect(await states.next()?.count == 3)
  }

  @Test("A state that equals the previous one is omitted")
  func distinct() async {
    let store = Store(initialState: Counter.State()) { Counter() }
    var states = AsyncStream(statesOf: store).makeAsyncIterator()
    #expect(await states.next()?.count == 0)
    store.send(.set(0))
    store.send(.set(1))
    #expect(await states.next()?.count == 1)
    store.send(.set(1))
    store.send(.set(2))
    #expect(await states.next()?.count == 2)
  }

  @Test("It ends with the store")
  func ends() async {
    var store: StoreOf<Counter>? = Store(initialState: Counter.State()) { Counter() }
    var states = store.map { AsyncStream(statesOf: $0) }?.makeAsyncIterator()
    #expect(await states?.next()?.count == 0)
    store = nil
    #expect(await states?.next() == nil)
  }

  @Test("An observer is called after each commit until its subscription is released")
  func observers() {
    let core = RootCore(initialState: { Counter.State() }, reducer: { Counter() })
    var seen: [Int] = []
    var subscription: StoreSubscription? = core.observeChanges { [unowned core] in
      seen.append(core.state.count)
    }
    core.send(.increment)
    core.send(.increment)
    #expect(subscription != nil)
    subscription = nil
    core.send(.increment)
    #expect(seen == [1, 2])
  }
}
