import StoreActorSimplex

@Reducer
struct MyReducer {
  enum ViewAction {
    case increment
    case decrement
  }

  func reduce(into state: StateContainer<MyView>, action: Action) -> SideEffect<Self> {
    switch action {
    case .increment:
      state.counter += 1
      return .none
    case .decrement:
      state.counter -= 1
      return .none
    }
  }
}

@ViewState
struct MyView: View {
  @State var counter = 0

  let store: Store<MyReducer> = Store(reducer: MyReducer())

  var body: some View {
    VStack {
      Text("\(counter)")
      Button("+") {
        send(.increment)
      }
      Button("-") {
        send(.decrement)
      }
    }
  }
}
