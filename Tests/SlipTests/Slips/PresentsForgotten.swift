import StoreActor

@Reducer
struct Sheet {
  @ObservableState
  struct State: Equatable { var text = "" }

  enum Action { case textChanged(String) }

  var body: some ReducerOf<Self> { EmptyReducer() }
}

@Reducer
struct Desk {
  @ObservableState
  struct State: Equatable { var sheet: Sheet.State? }

  enum Action { case sheet(PresentationAction<Sheet.Action>) }

  var body: some ReducerOf<Self> {
    Reduce { _, _ in .none }
      .ifLet(\.$sheet, action: \.sheet) {
        Sheet()
      }
  }
}
