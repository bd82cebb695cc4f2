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
