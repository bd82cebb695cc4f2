import StoreActor

@Reducer
struct ShelfBook {
  @ObservableState
  struct State: Equatable, Identifiable { let id: Int }

  enum Action { case tapped }

  var body: some ReducerOf<Self> { EmptyReducer() }
}

@Reducer
struct Shelf {
  @ObservableState
  struct State: Equatable { var books: [ShelfBook.State] = [] }

  enum Action { case books(IdentifiedActionOf<ShelfBook>) }

  var body: some ReducerOf<Self> {
    Reduce { _, _ in .none }
      .forEach(\.books, action: \.books) {
        ShelfBook()
      }
  }
}
