import StoreActor

@Reducer
struct Wheel {
  @ObservableState
  struct State: Equatable { var angle = 0 }

  struct Action { var turn = 0 }

  var body: some ReducerOf<Self> { EmptyReducer() }
}

@Reducer
struct Cart {
  @ObservableState
  struct State: Equatable { var wheel = Wheel.State() }

  struct Action { var wheel: Wheel.Action }

  var body: some ReducerOf<Self> {
    Scope(state: \.wheel, action: \.wheel) {
      Wheel()
    }
  }
}
