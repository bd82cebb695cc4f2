import StoreActor

@Reducer
struct Pane {
  @ObservableState
  struct State: Equatable { var title = "" }

  enum Action { case titleChanged(String) }

  var body: some ReducerOf<Self> { EmptyReducer() }
}

@Reducer
struct Window {
  @ObservableState
  struct State: Equatable { var left = Pane.State() }

  enum Action { case left(Pane.Action) }

  var body: some ReducerOf<Self> {
    Scope(state: \.left, action: \.right) {
      Pane()
    }
  }
}
