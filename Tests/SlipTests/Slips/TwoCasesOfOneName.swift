import StoreActor

@Reducer
struct Login {
  @ObservableState
  struct State: Equatable { var name = "" }

  enum Action { case nameChanged(String) }

  var body: some ReducerOf<Self> { EmptyReducer() }
}

@Reducer
enum Screens {
  case login(Login)
  case login(again: Login)
}
