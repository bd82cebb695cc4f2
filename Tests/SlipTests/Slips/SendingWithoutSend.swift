import StoreActor

@Reducer
struct Weather {
  @ObservableState
  struct State: Equatable { var text = "" }

  enum Action {
    case refreshButtonTapped
    case response(String)
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .refreshButtonTapped:
        return .run { _ in
          .response("Sunny")
        }
      case .response(let text):
        state.text = text
        return .none
      }
    }
  }
}
