import StoreActor

@Reducer struct F {
  @ObservableState struct State: Equatable, ReplicatedState {
    var n = 0
    @ReplicationIgnored var digest = ""
  }
  enum Action: Equatable, WireAction { case go }
  var body: some ReducerOf<Self> { EmptyReducer() }
}
