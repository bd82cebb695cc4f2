import StoreActorSimplex

// A child whose actions also reach its parent's store.

@ViewState
struct ParentView: View {
  @State var taps = 0

  let store: Store<ParentReducer> = Store(reducer: ParentReducer())

  var body: some View {
    Text("\(taps) taps")
    ChildView()
      .pullback(to: /ParentReducer.Action.child, parent: self)
  }
}

@Reducer
struct ParentReducer {
  enum ViewAction {
  }
  enum ReducerAction {
    case child(ChildReducer.Action)
  }

  func reduce(into state: StateContainer<ParentView>, action: Action) -> SideEffect<Self> {
    switch action {
    case .child(.onButtonTapped):
      state.taps += 1
      return .none
    }
  }
}

@Reducer
struct ChildReducer {
  enum ViewAction {
    case onButtonTapped
  }

  func reduce(into state: StateContainer<ChildView>, action: Action) -> SideEffect<Self> {
    .none
  }
}

@ViewState
struct ChildView: View {
  let store: Store<ChildReducer> = Store(reducer: ChildReducer())

  var body: some View {
    Button("Tap") { send(.onButtonTapped) }
  }
}

// The same for a list of children, which have ids.

@ViewState
struct ListView: View {
  @State var tapped: [Int] = []

  let store: Store<ListReducer> = Store(reducer: ListReducer())

  var body: some View {
    Text("\(tapped)")
    ForEach([1, 2, 3], id: \.self) { id in
      RowView(id: id)
        .pullback(to: /ListReducer.Action.row, parent: self, id: id)
    }
  }
}

@Reducer
struct ListReducer {
  enum ViewAction {
  }
  enum ReducerAction {
    case row(id: Int, action: RowReducer.Action)
  }

  func reduce(into state: StateContainer<ListView>, action: Action) -> SideEffect<Self> {
    switch action {
    case .row(let id, .onButtonTapped):
      state.tapped.append(id)
      return .none
    }
  }
}

@Reducer
struct RowReducer {
  enum ViewAction {
    case onButtonTapped
  }

  func reduce(into state: StateContainer<RowView>, action: Action) -> SideEffect<Self> {
    .none
  }
}

@ViewState
struct RowView: View {
  let id: Int
  let store: Store<RowReducer> = Store(reducer: RowReducer())

  var body: some View {
    Button("Row \(id)") { send(.onButtonTapped) }
  }
}
