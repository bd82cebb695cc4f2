import StoreActor
import Testing

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct OperatorsTests {
  let isVerbose = LockIsolated(false)
  let printed = LockIsolated<[String]>([])

  private var shop: Shop { Shop(isVerbose: isVerbose, printed: printed) }

  @Test func children() async {
    let store = TestStore(initialState: .init()) { shop }
    await store.send(.counter(.add))
    await store.receive(\.counter.added.success, 1) { $0.counter.amount = 1 }
    await store.send(\.offer.add)
    await store.receive(\.offer.added) { $0.offer?.amount = 1 }
    await store.send(.view(.fillButtonTapped)) {
      $0.items = [Item.State(id: 1), Item.State(id: 2)]
      $0.mode = .moving(x: 1, y: 2)
      $0.log = ["0 → 2 items"]
    }
    await store.send(\.items[id: 2].add)
    await store.receive(\.items[id: 2].added.success) { $0.items[id: 2]?.amount = 1 }
    await store.send(\.view.clearButtonTapped) {
      $0.items = [Item.State(id: 2, amount: 1)]
      $0.offer = nil
      $0.log.append("2 → 1 items")
    }
    #expect(printed.value.count == 8)
  }

  @Test func changes() async {
    let store = TestStore(initialState: Shop.State()) { shop }
    await store.send(\.binding.query, "milk") {
      $0.query = "milk"
      $0.log = [" → milk"]
    }
    await store.send(.binding(.set(\.settings.isLoud, true))) {
      $0.settings.isLoud = true
      $0.log.append("false → true")
    }
  }

  @Test func conditions() async {
    let store = TestStore(initialState: Shop.State()) { shop }
    await store.send(.mode(.paying(.pay))) { $0.mode = .paying(Bill.State(total: 0)) }
    isVerbose.setValue(true)
    await store.send(.mode(.paying(.pay))) { $0.log = ["verbose"] }
  }

  @Test func nothing() {
    let store = Store(initialState: 1) { Nothing() }
    store.send(2)
    #expect(store.state == 1)
  }

  @Test func cases() {
    #expect(Shop.Action.view(.fillButtonTapped).case == \Shop.Action.Cases.view)
    #expect(Shop.Mode.State.closed.case != \.moving)
  }

  @Test func scopesByClosures() {
    let store = Store(initialState: Shop.State()) { shop }
    let counter = store.scope(state: { $0.counter }, action: { .counter($0) })
    let total: Store<Int, Item.Action> = store.scope(
      state: { $0.counter.amount + $0.items.count },
      action: Shop.Action.counter,
    )
    counter.send(.added(.success(5)))
    #expect(counter.amount == 5)
    #expect(store.counter.amount == 5)
    total.send(.added(.success(6)))
    store.send(.view(.fillButtonTapped))
    #expect(total.state == 8)

    let isTold = LockIsolated(false)
    withObservationTracking {
      _ = counter.amount
    } onChange: {
      isTold.setValue(true)
    }
    store.send(.view(.clearButtonTapped))
    #expect(!isTold.value)
    store.send(.counter(.added(.success(7))))
    #expect(isTold.value)
    #expect(counter.amount == 7)
  }
}
