import StoreActor

@Reducer
struct Printer {
  @ObservableState
  struct State: Equatable { var pages = 0 }

  enum Action { case printButtonTapped }

  var body: some ReducerOf<Self> { EmptyReducer() }
}

actor Spooler {
  let store: StoreOf<Printer>

  init(store: StoreOf<Printer>) {
    self.store = store
  }

  func printAll() {
    store.send(.printButtonTapped)
  }
}
