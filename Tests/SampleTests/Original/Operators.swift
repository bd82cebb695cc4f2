import StoreActor

// All operators in one body, and all ways to write a body.

@Reducer
struct Item {
  @ObservableState
  struct State: Equatable, Identifiable {
    let id: Int
    var amount = 0
  }

  enum Action {
    case add
    case added(TaskResult<Int>)
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .add:
        return .run { [amount = state.amount] send in
          await send(.added(TaskResult { amount + 1 }))
        }
      case .added(.success(let amount)):
        state.amount = amount
        return .none
      case .added(.failure):
        return .none
      }
    }
  }
}

@Reducer
struct Bill {
  @ObservableState
  struct State: Equatable {
    var total = 0
  }

  enum Action { case pay }

  // A reducer nested in the one whose state and action it uses.
  @Reducer
  struct Paying {
    var body: some Reducer<State, Action> {
      Reduce { state, action in
        state.total = 0
        return .none
      }
    }
  }

  var body: some ReducerOf<Self> {
    Paying()
  }
}

@Reducer
struct Nothing {
  let body = EmptyReducer<Int, Int>()
}

@Reducer
struct Shop {
  @ObservableState
  struct State: Equatable {
    var counter = Item.State(id: 0)
    var offer: Item.State? = Item.State(id: 1)
    var items: IdentifiedArrayOf<Item.State> = []
    var mode = Mode.State.paying(Bill.State(total: 3))
    var query = ""
    var log: [String] = []
    var settings = Settings()

    struct Settings: Equatable {
      var isLoud = false
    }
  }

  enum Action: BindableAction, ViewAction {
    case binding(BindingAction<State>)
    case counter(Item.Action)
    case offer(Item.Action)
    case items(IdentifiedActionOf<Item>)
    case mode(Mode.Action)
    case view(View)

    @CasePathable
    enum View {
      case fillButtonTapped
      case clearButtonTapped
    }
  }

  @Reducer
  enum Mode {
    case paying(Bill)
    case browsing(Item)
    case moving(x: Int, y: Int)
    case closed
  }

  let isVerbose: LockIsolated<Bool>
  let printed: LockIsolated<[String]>

  var body: some ReducerOf<Self> {
    BindingReducer()
      .onChange(of: \.query) { oldValue, state in
        state.log.append("\(oldValue) → \(state.query)")
        return .none
      }
      .onChange(of: \.settings.isLoud) { oldValue, newValue in
        Reduce { state, _ in
          state.log.append("\(oldValue) → \(newValue)")
          return .none
        }
      }
    Scope(state: \.counter, action: \.counter) {
      Item()
    }
    Scope(\.mode, action: \.mode) {
      Mode.body
    }
    CombineReducers {
      if isVerbose.value {
        Reduce { state, _ in
          state.log.append("verbose")
          return .none
        }
      }
      Reduce { state, action in
        guard case .view(let action) = action else { return .none }
        return view(action, &state)
      }
      EmptyReducer()
    }
    .ifLet(\.offer, action: \.offer) {
      Item()
    }
    .forEach(\.items, action: \.items) {
      Item()
        .dependency(\.locale, Locale(identifier: "de"))
    }
    .onChange(of: \.items.count, removeDuplicates: isSamePair) { oldValue, newValue in
      Reduce { state, _ in
        state.log.append("\(oldValue) → \(newValue) items")
        return .none
      }
    }
    .signpost()
    ._printChanges(
      _ReducerPrinter { action, _, _ in
        printed.withValue { $0.append("\(action)") }
      }
    )
  }

  private func isSamePair(_ oldValue: Int, _ newValue: Int) -> Bool {
    oldValue / 2 == newValue / 2
  }

  private func view(_ action: Action.View, _ state: inout State) -> Effect<Action> {
    switch action {
    case .fillButtonTapped:
      state.items += [Item.State(id: 1), Item.State(id: 2)]
      state.mode = .moving(x: 1, y: 2)
      return .none
    case .clearButtonTapped:
      state.items.removeFirst(1)
      state.offer = nil
      return .none
    }
  }
}

extension Shop.Mode.State: Equatable {}
