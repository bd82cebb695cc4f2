import StoreActor

@Reducer struct F {
  @ObservableState struct State: Equatable, ReplicatedState {
    var n = 0
    var digest: String { "x" }
  }
  enum Action: Equatable, WireAction { case go }
  var body: some ReducerOf<Self> { EmptyReducer() }
}
