import StoreActor
import Testing

@Suite("A store's members do not hide properties of the state")
@MainActor
struct ShadowedMemberTests {
  @Test("Properties with common names are read, observed and bound")
  func properties() async {
    let store = Store(initialState: Booking.State()) { Booking() }
    let told = LockIsolated(0)
    withObservationTracking {
      _ = store.end
    } onChange: {
      told.withValue { $0 += 1 }
    }
    #expect(store.start == 3 && store.end == 5)
    store.end = 6
    #expect(told.value == 1 && store.end == 6)
    #expect(store.states == ["Ohio"] && store.outputs == 1)
    #expect(StoreEnd(of: store) == nil)
    var states = AsyncStream(statesOf: store).makeAsyncIterator()
    #expect(await states.next()?.end == 6)
  }
}

@Reducer
private struct Booking {
  @ObservableState
  struct State: Equatable, Sendable {
    var start: Int? = 3
    var end: Int? = 5
    var states = ["Ohio"]
    var outputs = 1
  }

  enum Action: BindableAction { case binding(BindingAction<State>) }

  var body: some ReducerOf<Self> { BindingReducer() }
}
