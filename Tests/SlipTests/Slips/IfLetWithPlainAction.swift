import StoreActor

@Reducer
struct Note {
  @ObservableState
  struct State: Equatable { var text = "" }

  enum Action { case textChanged(String) }

  var body: some ReducerOf<Self> { EmptyReducer() }
}

@Reducer
struct Board {
  @ObservableState
  struct State: Equatable { @Presents var note: Note.State? }

  enum Action { case note(Note.Action) }

  var body: some ReducerOf<Self> {
    Reduce { _, _ in .none }
      .ifLet(\.$note, action: \.note) {
        Note()
      }
  }
}
