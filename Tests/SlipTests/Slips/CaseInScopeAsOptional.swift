import StoreActor

@Reducer
struct Booklet {
  @ObservableState
  struct State: Equatable { var title = "" }

  enum Action { case titleChanged(String) }

  var body: some ReducerOf<Self> { EmptyReducer() }
}

@Reducer
struct Binder {
  @ObservableState
  enum State: Equatable {
    case loading
    case booklet(Booklet.State)
  }

  enum Action { case booklet(Booklet.Action) }

  var body: some ReducerOf<Self> {
    Scope(state: \.booklet, action: \.booklet) {
      Reduce<Booklet.State?, Booklet.Action> { state, action in
        state = nil
        return .none
      }
    }
  }
}
