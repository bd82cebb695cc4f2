import StoreActor

@Reducer
struct Editor {
  @ObservableState
  struct State: Equatable { var text = "" }

  enum Action { case textChanged(String) }

  var body: some ReducerOf<Self> { EmptyReducer() }
}

@Reducer
struct Page {
  @ObservableState
  struct State: Equatable { @Presents var editor: Editor.State? }

  enum Action { case editor(PresentationAction<Editor.Action>) }

  var body: some ReducerOf<Self> {
    Reduce { _, _ in .none }
      .ifLet(\.editor, action: \.editor) {
        Editor()
      }
  }
}
