import StoreActor

@Reducer
struct Metronome {
  @ObservableState
  struct State: Equatable { var ticks = 0 }

  enum Action { case startButtonTapped }

  @Dependency(\.continousClock) var clock

  var body: some ReducerOf<Self> { EmptyReducer() }
}
