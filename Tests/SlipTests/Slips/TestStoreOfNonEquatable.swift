import StoreActor

@Reducer
struct Radio {
  @ObservableState
  struct State { var station = 0 }

  enum Action { case nextButtonTapped }

  var body: some ReducerOf<Self> { EmptyReducer() }
}

@MainActor
func stations() async {
  let store = TestStore(initialState: Radio.State()) { Radio() }
  await store.send(.nextButtonTapped) { $0.station = 1 }
}
