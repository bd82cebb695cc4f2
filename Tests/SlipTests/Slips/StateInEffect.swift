import StoreActor

@Reducer
struct Search {
  @ObservableState
  struct State: Equatable { var query = "" }

  enum Action {
    case searchButtonTapped
    case response(Int)
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .searchButtonTapped:
        return .run { send in
          await send(.response(state.query.count))
        }
      case .response:
        return .none
      }
    }
  }
}
