import StoreActor

@Reducer
struct Bell {
  @ObservableState
  struct State: Equatable { var rings = 0 }

  enum Action { case ringButtonTapped }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .ringButtonTapped:
        state.rings += 1
      }
    }
  }
}
