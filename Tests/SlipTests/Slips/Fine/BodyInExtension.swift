import StoreActor

@Reducer struct F {
  @ObservableState struct State: Equatable, ReplicatedState { var n = 0 }
  enum Action: Equatable, WireAction { case go }
}
extension F.State {
  static let initial = F.State(n: 3)
  var twice: Int { n * 2 }
}
extension F.Action { static let start = F.Action.go }
extension F {
  var body: some ReducerOf<Self> {
    Reduce { state, _ in
      state.n += 1
      return .none
    }
  }
}
