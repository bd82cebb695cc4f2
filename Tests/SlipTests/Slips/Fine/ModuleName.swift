import StoreActor

// A type with the name of the module: generated code has to find the module.
actor StoreActor {}

@Reducer
struct Row {
  @ObservableState
  struct State: ReplicatedState, Identifiable {
    var id = 0
    var title = ""
    @Shared(.inMemory("total")) var total = 0
    @Presents var alert: AlertState<Action.Alert>?
  }

  enum Action: WireAction {
    case renamed(title: String)
    case alert(PresentationAction<Alert>)

    @CasePathable
    enum Alert: WireAction { case confirmed }
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      if case .renamed(let title) = action { state.title = title }
      return .none
    }
    .ifLet(\.$alert, action: \.alert)
  }
}

@Reducer
enum Destination {
  case row(Row)
  @ReducerCaseIgnored case note(Int)
}

@Reducer
struct App {
  @ObservableState
  enum State: ReplicatedState {
    case empty
    case row(Row.State)
  }

  @CasePathable
  enum ViewAction: WireAction {
    case opened(number: Int)
  }

  @CasePathable
  enum ReducerAction {
    case loaded(String)
  }

  var body: some ReducerOf<Self> { EmptyReducer() }
}

@DependencyClient
struct FactClient: Sendable {
  var fetch: @Sendable (_ number: Int) async throws -> String
  var isAvailable: @Sendable () -> Bool = { false }

  static let live = FactClient {
    "\($0)"
  } isAvailable: {
    true
  }
}

extension DependencyValues {
  @DependencyEntry(liveValue: FactClient.live) var facts: FactClient = FactClient()
}
