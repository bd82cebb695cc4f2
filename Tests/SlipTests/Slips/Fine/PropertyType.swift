import StoreActor

@Reducer
struct F {
  @ObservableState
  struct State: Equatable, ReplicatedState {
    var n = 0
    var `Type` = 1
  }
  enum Action: Equatable, WireAction { case go }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      state.n += 1
      return .none
    }
  }
}
