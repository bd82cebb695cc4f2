import StoreActorSimplex

// State that only the reducer sees: a change of it updates no view.

@Reducer
struct CallCountingReducer {
  enum ViewAction {
    case increment
    case decrement
  }

  struct ReducerState {
    var totalCalledCount = 0
  }

  func reduce(into state: StateContainer<CallCountingView>, action: Action) -> SideEffect<Self> {
    state.reducerState.totalCalledCount += 1
    switch action {
    case .increment:
      if state.reducerState.totalCalledCount < 10 {
        state.counter += 1
      }
      return .none
    case .decrement:
      state.counter -= 1
      return .none
    }
  }
}

@ViewState
struct CallCountingView: View {
  @State var counter = 0

  let store: Store<CallCountingReducer>

  init() {
    store = Store(
      reducer: CallCountingReducer(),
      initialReducerState: CallCountingReducer.ReducerState(),
    )
  }

  var body: some View {
    HStack {
      Text("\(counter)")
      Button("+") { send(.increment) }
    }
  }
}
