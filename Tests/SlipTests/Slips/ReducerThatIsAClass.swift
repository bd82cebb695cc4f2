import StoreActor

@Reducer
class Radiator {
  @ObservableState
  struct State: Equatable { var heat = 0 }

  enum Action { case warmer }

  var body: some ReducerOf<Radiator> { EmptyReducer() }
}
