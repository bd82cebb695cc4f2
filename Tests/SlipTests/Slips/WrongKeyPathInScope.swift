import StoreActor

@Reducer
struct Tab {
  @ObservableState
  struct State: Equatable { var title = "" }

  enum Action { case titleChanged(String) }

  var body: some ReducerOf<Self> { EmptyReducer() }
}

@Reducer
struct Tabs {
  @ObservableState
  struct State: Equatable {
    var first = Tab.State()
    var count = 1
  }

  enum Action { case first(Tab.Action) }

  var body: some ReducerOf<Self> {
    Scope(state: \.count, action: \.first) {
      Tab()
    }
  }
}
