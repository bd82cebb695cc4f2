import StoreActor

@Reducer
struct Engine {
  @ObservableState
  struct State: Equatable { var isRunning = false }

  enum Action { case startButtonTapped }

  var body: some ReducerOf<Self> { EmptyReducer() }
}

@Reducer
struct Car {
  @ObservableState
  struct State: Equatable { var engine = Engine.State() }

  enum Action { case engine(Engine.Action) }

  var body: some ReducerOf<Self> {
    Reduce { _, _ in .none }
      .ifLet(\.engine, action: \.engine) {
        Engine()
      }
  }
}
