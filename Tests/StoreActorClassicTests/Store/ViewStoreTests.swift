import Observation
import StoreActorClassic
import TerminalViews
import Testing

private struct Counter: Equatable {
  var count = 0
  var unseen = 0
  var isLoading = false
  var detail: Int?
}

private enum CounterAction: Equatable {
  case increment
  case touchUnseen
  case load
  case loaded
  case show(Int?)
}

private let counterReducer = Reducer<Counter, CounterAction, AnySchedulerOf<DispatchQueue>> {
  state,
  action,
  mainQueue in
  switch action {
  case .increment:
    state.count += 1
    return .none
  case .touchUnseen:
    state.unseen += 1
    return .none
  case .load:
    state.isLoading = true
    return Effect(value: .loaded).delay(for: 1, scheduler: mainQueue)
  case .loaded:
    state.isLoading = false
    return .none
  case .show(let detail):
    state.detail = detail
    return .none
  }
}

@MainActor
@Suite("Stores and view stores", .timeLimit(.minutes(1)))
struct ViewStoreTests {
  let scheduler = DispatchQueue.test

  private func store() -> Store<Counter, CounterAction> {
    Store(
      initialState: Counter(),
      reducer: counterReducer,
      environment: scheduler.eraseToAnyScheduler(),
    )
  }

  @Test("A view store reads the state by its members, and sends")
  func reading() {
    let viewStore = ViewStore(store())
    viewStore.send(.increment)
    #expect(viewStore.count == 1)
    #expect(viewStore.state == Counter(count: 1))
  }

  @Test("A scoped store shows a part, and its actions are made actions of the whole")
  func scoping() {
    let store = store()
    let counts = ViewStore(store.scope(state: \.count, action: { (_: Void) in .increment }))
    counts.send(())
    #expect(counts.state == 1)
    #expect(ViewStore(store).count == 1)
    #expect(ViewStore(store.actionless).count == 1)
    ViewStore(store.stateless).send(.increment)
    #expect(counts.state == 2)
  }

  @Test("A view store is notified only of changes that are not duplicates")
  func duplicates() {
    let store = store()
    let counts = ViewStore(store.scope(state: \.count))
    var seen: [Int] = []
    let observation = AnyCancellable(observing: counts) { seen.append($0) }
    counts.send(.touchUnseen)
    counts.send(.increment)
    counts.send(.touchUnseen)
    #expect(seen == [0, 1])
    observation.cancel()
    counts.send(.increment)
    #expect(seen == [0, 1])
    let even = ViewStore(store, removeDuplicates: { $0.count / 2 == $1.count / 2 })
    even.send(.increment)
    #expect(even.count == 2)
    even.send(.increment)
    #expect(even.count == 4)
  }

  @Test("Observers are notified of changes")
  func observation() {
    let viewStore = ViewStore(store().scope(state: \.count))
    let changes = LockIsolated(0)
    withObservationTracking {
      _ = viewStore.state
    } onChange: {
      changes.withValue { $0 += 1 }
    }
    viewStore.send(.touchUnseen)
    #expect(changes.value == 0)
    viewStore.send(.increment)
    #expect(changes.value == 1)
  }

  @Test("The stream of states has the first one and the newest, and ends with the view store")
  func states() async {
    var viewStore: ViewStore<Int, CounterAction>? = ViewStore(store().scope(state: \.count))
    var states = viewStore.map { AsyncStream(statesOf: $0) }?.makeAsyncIterator()
    #expect(await states?.next() == 0)
    viewStore?.send(.increment)
    viewStore?.send(.increment)
    #expect(await states?.next() == 2)
    viewStore = nil
    #expect(await states?.next() == nil)
  }

  @Test("Sending can wait while the state is in a condition")
  func waiting() async {
    let viewStore = ViewStore(store())
    let scheduler = scheduler
    let task = Task { await viewStore.send(.load, while: \.isLoading) }
    await viewStore.yield { !$0.isLoading }
    await scheduler.advance(by: .seconds(1))
    await task.value
    #expect(!viewStore.isLoading)
  }

  @Test("Bindings show the state and send actions")
  func bindings() {
    let viewStore = ViewStore(store())
    let detail = viewStore.binding(get: \.detail, send: CounterAction.show)
    detail.wrappedValue = 3
    #expect(detail.wrappedValue == 3)
    let closing = viewStore.binding(get: { $0.detail != nil }, send: .show(nil))
    #expect(closing.wrappedValue)
    closing.wrappedValue = false
    #expect(viewStore.detail == nil)
  }

  @Test("An optional state is passed on when it appears, and its removal is reported")
  func ifLet() {
    let store = store()
    let viewStore = ViewStore(store)
    var events: [String] = []
    let details: Store<Int?, CounterAction> = store.scope(state: \.detail)
    let observation = details.ifLet {
      events.append("here \(ViewStore($0).state)")
    } else: {
      events.append("gone")
    }
    viewStore.send(.show(1))
    viewStore.send(.show(2))
    viewStore.send(.show(nil))
    #expect(events == ["gone", "here 1", "gone"])
    observation.cancel()
    viewStore.send(.show(3))
    #expect(events.count == 3)
  }
}
