import StoreActor

@Reducer
struct Door {
  @ObservableState
  struct State: Equatable { var isOpen = false }

  enum Action { case openButtonTapped }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .openButtonPressed:
        state.isOpen = true
        return .none
      }
    }
  }
}
