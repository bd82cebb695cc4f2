import StoreActor

@Reducer
struct Clerk {
  struct State: Equatable, ReplicatedState, Sendable { var name = "" }

  enum Action: Equatable, Sendable, WireAction { case nameChanged(String) }

  var body: some ReducerOf<Self> { EmptyReducer() }
}
