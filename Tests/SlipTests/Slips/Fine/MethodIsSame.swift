import StoreActor

@Reducer struct F {
  @ObservableState struct State: Equatable, ReplicatedState {
    var n = 0
    func isSame(as other: Self) -> Bool { n == other.n }
  }
  enum Action: Equatable, WireAction { case go }
  var body: some ReducerOf<Self> { EmptyReducer() }
}
