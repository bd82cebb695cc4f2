import StoreActor

@Reducer
struct Ticket {
  @ObservableState
  struct State: Equatable {
    let seat: Int
  }

  enum Action { case seatChanged(Int) }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .seatChanged(let seat):
        state.seat = seat
        return .none
      }
    }
  }
}
