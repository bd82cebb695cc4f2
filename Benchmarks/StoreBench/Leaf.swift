import StoreActor

/// A feature with a counter.
struct Leaf: Reducer {
  struct State: Equatable, Sendable {
    var count = 0
  }

  enum Action: Sendable {
    case increment
  }

  var body: some ReducerOf<Self> {
    Reduce { state, _ in
      state.count += 1
      return .none
    }
  }
}

/// A feature whose actions change no state.
struct Unchanged: Reducer {
  struct State: Equatable, Sendable {
    var count = 0
  }

  enum Action: Sendable {
    case accepted
    case refused
  }

  var body: some ReducerOf<Self> {
    Reduce { _, action in
      switch action {
      case .accepted: .none
      case .refused: .refuse("The queue is full.", code: "full")
      }
    }
  }
}

/// A feature with a list of others.
struct List: Reducer {
  struct Row: Reducer {
    struct State: Equatable, Sendable, Identifiable {
      let id: Int
      var count = 0
      var isEven: Bool { count.isMultiple(of: 2) }
    }

    typealias Action = Leaf.Action

    var body: some ReducerOf<Self> {
      Reduce { state, _ in
        state.count += 1
        return .none
      }
    }
  }

  struct State: Equatable, Sendable, ObservableState {
    static var _$lists: [PartialKeyPath<Self>] { [\.rows] }

    var own = 0
    var rows: IdentifiedArrayOf<Row.State>

    init(rows count: Int) {
      rows = IdentifiedArray(uniqueElements: (0..<count).map { Row.State(id: $0) })
    }
  }

  enum Action: Sendable, CasePathable {
    case own
    case rows(IdentifiedActionOf<Row>)

    struct AllCasePaths: Sendable {
      var rows: AnyCasePath<Action, IdentifiedActionOf<Row>> {
        AnyCasePath(embed: Action.rows) { if case .rows(let it) = $0 { it } else { nil } }
      }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      if case .own = action { state.own += 1 }
      return .none
    }
    .forEach(\.rows, action: \.rows) {
      Row()
    }
  }
}
