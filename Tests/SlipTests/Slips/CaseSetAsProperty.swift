import StoreActor

@Reducer
struct Leaflet {
  @ObservableState
  struct State: Equatable { var title = "" }

  enum Action { case titleChanged(String) }

  var body: some ReducerOf<Self> { EmptyReducer() }
}

@Reducer
struct Document {
  @ObservableState
  enum State: Equatable {
    case loading
    case leaflet(Leaflet.State)
  }

  enum Action {
    case leaflet(Leaflet.Action)
    case renamed(String)
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      if case .renamed(let title) = action { state.leaflet?.title = title }
      return .none
    }
  }
}
