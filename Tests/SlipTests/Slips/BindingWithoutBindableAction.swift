import StoreActor

@Reducer
struct Profile {
  @ObservableState
  struct State: Equatable { var name = "" }

  enum Action { case binding(BindingAction<State>) }

  var body: some ReducerOf<Self> {
    BindingReducer()
  }
}
