import StoreActor

@Reducer
struct ListRow {
  @ObservableState
  struct State: Equatable, Identifiable { let id: Int }

  enum Action { case tapped }

  var body: some ReducerOf<Self> { EmptyReducer() }
}

@Reducer
struct RowList {
  @ObservableState
  struct State: Equatable { var rows: IdentifiedArrayOf<ListRow.State> = [] }

  enum Action { case rows(ListRow.Action) }

  var body: some ReducerOf<Self> {
    Reduce { _, _ in .none }
      .forEach(\.rows, action: \.rows) {
        ListRow()
      }
  }
}
