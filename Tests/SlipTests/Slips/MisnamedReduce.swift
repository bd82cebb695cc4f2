import StoreActor

@Reducer
struct Meter {
  @ObservableState
  struct State: Equatable { var value = 0 }

  enum Action { case readButtonTapped }

  func reduce(state: inout State, action: Action) -> Effect<Action> {
    state.value += 1
    return .none
  }
}
