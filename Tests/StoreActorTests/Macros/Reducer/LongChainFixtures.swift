import StoreActor

/// Many operators on one reducer, which must compile quickly.
@Reducer
struct LongChain {
  @ObservableState
  struct State: Equatable {
    var one: Clicker.State?
    var two: Clicker.State?
    var three: Clicker.State?
    var four: Clicker.State?
    var five: Clicker.State?
    var rows: IdentifiedArrayOf<LongChainRow.State> = []
    var others: IdentifiedArrayOf<LongChainRow.State> = []
    var count = 0
  }

  enum Action {
    case one(Clicker.Action)
    case two(Clicker.Action)
    case three(Clicker.Action)
    case four(Clicker.Action)
    case five(Clicker.Action)
    case rows(IdentifiedActionOf<LongChainRow>)
    case others(IdentifiedActionOf<LongChainRow>)
    case tapped
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .tapped:
        state.count += 1
        state.one = .init()
        return .none
      case .one, .two, .three, .four, .five, .rows, .others:
        return .none
      }
    }
    .ifLet(\.one, action: \.one) { Clicker() }
    .ifLet(\.two, action: \.two) { Clicker() }
    .ifLet(\.three, action: \.three) { Clicker() }
    .ifLet(\.four, action: \.four) { Clicker() }
    .ifLet(\.five, action: \.five) { Clicker() }
    .forEach(\.rows, action: \.rows) { LongChainRow() }
    .forEach(\.others, action: \.others) { LongChainRow() }
    .dependency(\.date, .constant(Date(timeIntervalSince1970: 0)))
    .dependency(\.uuid, .incrementing)
    ._printChanges(nil)
  }
}

@Reducer
struct LongChainRow {
  @ObservableState
  struct State: Equatable, Identifiable {
    var id: Int
    var count = 0
  }
  enum Action { case tapped }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .tapped:
        state.count += 1
        return .none
      }
    }
  }
}

// Declarations in extensions of the types that the macro completes.
extension LongChain.State {
  var total: Int { count + rows.count }
}

extension LongChain.Action {
  static let press = Self.tapped
}

/// Ten features in one enum.
@Reducer
enum ManyCases {
  case one(Clicker)
  case two(Clicker)
  case three(Clicker)
  case four(Clicker)
  case five(Clicker)
  case six(Clicker)
  case seven(Clicker)
  case eight(Leaf)
  case nine(Holder<String>)
  case ten(LongChain)
}
extension ManyCases.State: Equatable {}
