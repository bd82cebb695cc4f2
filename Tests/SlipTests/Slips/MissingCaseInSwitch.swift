import StoreActor

@Reducer
struct Lamp {
  @ObservableState
  struct State: Equatable { var isOn = false }

  enum Action { case onButtonTapped, offButtonTapped }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .onButtonTapped:
        state.isOn = true
        return .none
      }
    }
  }
}
