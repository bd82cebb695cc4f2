import StoreActor

struct Stamp: Equatable, Sendable { var value = 0 }

@Reducer
struct Mail {
  @ObservableState
  struct State: Equatable, ReplicatedState, Sendable { var count = 0 }

  enum Action: Equatable, Sendable, WireAction {
    case sendButtonTapped
    case stampChosen(Stamp)
  }

  var body: some ReducerOf<Self> { EmptyReducer() }
}
