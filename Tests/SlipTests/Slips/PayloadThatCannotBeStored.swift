import StoreActor

struct Receipt: Equatable, Sendable { var number = 0 }

@Reducer
struct Till {
  @ObservableState
  struct State: Equatable, ReplicatedState, Sendable { var count = 0 }

  enum ViewAction: Equatable, Sendable, WireAction {
    case payButtonTapped
  }

  enum ReducerAction: DurableAction, Equatable, Sendable {
    case paid(Receipt)
    @DurableIgnored case printed(Receipt)
  }

  var body: some ReducerOf<Self> { EmptyReducer() }
}
