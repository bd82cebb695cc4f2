import StoreActor

// A feature imports StoreActor alone.

@Reducer
struct Wallet {
  @ObservableState
  struct State: Equatable, ReplicatedState, Sendable {
    var dollars = 10
    var euros: Int?
  }

  enum ViewAction: Equatable, Sendable, WireAction {
    case convertButtonTapped
  }

  enum ReducerAction: Equatable, Sendable {
    case converted(Int)
  }

  @Dependency(\.rates) private var rates

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .convertButtonTapped:
        return .run { [rates, dollars = state.dollars] send in
          await send(.converted(rates.euros(dollars)))
        }
      case .converted(let euros):
        state.euros = euros
        return .none
      }
    }
  }
}
