import StoreActor

@Reducer
struct Tally {
  @ObservableState
  struct State: Equatable { var count = 0 }

  enum Action { case incrementButtonTapped }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .incrementButtonTapped:
        state.cuont += 1
        return .none
      }
    }
  }
}
