import StoreActor

/// A feature that shares a number with the rows of its list.
struct Sharing: Reducer {
  struct Row: Equatable, Sendable, Identifiable {
    let id: Int
    var taps = 0
    @Shared var count: Int
  }

  struct State: Equatable, Sendable {
    var own = 0
    @Shared var count: Int
    var rows: IdentifiedArrayOf<Row>

    init(rows number: Int) {
      let count = Shared(value: 0)
      _count = count
      rows = IdentifiedArray(uniqueElements: (0..<number).map { Row(id: $0, count: count) })
    }
  }

  enum Action: Sendable {
    case change
    case own
    case row
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .change: state.$count.withLock { $0 += 1 }
      case .own: state.own += 1
      case .row: state.rows[id: 0]?.taps += 1
      }
      return .none
    }
  }
}

/// The third level of features around a counter, with a number that it shares.
struct SharingLevel3: Reducer {
  struct State: Equatable, Sendable {
    var child = Level2.State()
    @Shared(value: 0) var shared
  }

  enum Action: Sendable, CasePathable {
    case child(Level2.Action)
    case own

    struct AllCasePaths: Sendable {
      var child: AnyCasePath<Action, Level2.Action> {
        AnyCasePath(embed: Action.child) { if case .child(let it) = $0 { it } else { nil } }
      }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
  }

  var body: some ReducerOf<Self> {
    Scope(\.child, action: \.child) {
      Level2()
    }
    Reduce { state, action in
      if case .own = action { state.$shared.withLock { $0 += 1 } }
      return .none
    }
  }
}
