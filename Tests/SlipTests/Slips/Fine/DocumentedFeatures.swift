import StoreActor

// Code that the documentation of StoreActor shows: features and their parts. A house rule compares
// it with the comments.

@Reducer
struct Counter {
  @ObservableState
  struct State: Equatable { var count = 0 }
  enum Action { case incrementButtonTapped }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .incrementButtonTapped:
        state.count += 1
        return .none
      }
    }
  }
}

enum CounterDocumentation {
  @Reducer
  struct Counter {
    @ObservableState
    struct State: Equatable { var count = 0 }
    enum Action { case incrementButtonTapped }

    var body: some ReducerOf<Self> {
      Reduce { state, action in .none }
    }
  }
}

enum ReducerDocumentation {
  struct Counter: Reducer {
    struct State: Equatable { var count = 0 }
    enum Action { case incrementButtonTapped }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .incrementButtonTapped:
          state.count += 1
          return .none
        }
      }
    }
  }
}

@Reducer
struct Detail {
  @ObservableState
  struct State: Equatable { var title = "" }
  enum Action { case saveButtonTapped }
}

@Reducer
struct Meeting {
  @ObservableState
  struct State: Equatable {}

  var isDraft = false
}

@Reducer
struct Row {
  @ObservableState
  struct State: Equatable, Identifiable { var id = 0 }
}

enum Alert: Equatable { case confirmDeletion }

@Reducer
enum Path {
  case detail(Detail)
  case meeting(Meeting = Meeting(isDraft: true))
  @ReducerCaseIgnored case note(String)
  @ReducerCaseEphemeral case alert(AlertState<Alert>)
}
extension Path.State: Equatable {}

enum PathDocumentation {
  @Reducer
  enum Path {
    case detail(Detail)
    case meeting(Meeting)
  }

  @MainActor
  static func titles(_ store: StoreOf<Path>) -> [String] {
    switch store.case {
    case .detail(let store): [store.title]
    case .meeting(let store): ["\(store.state)"]
    }
  }
}

struct User: Equatable, Sendable {}
enum LoginError: Error, Equatable { case refused }

@Reducer
struct Login {
  enum ViewAction: WireAction { case loginButtonTapped(name: String) }
  enum ReducerAction { case loginResponse(Result<User, LoginError>) }
}

enum StateDocumentation {
  enum Action {
    enum Alert: Equatable {}
  }

  enum Alerting {
    @ObservableState
    struct State: Equatable {
      var count = 0
      @Presents var alert: AlertState<Action.Alert>?
    }
  }

  enum Traveling {
    @ObservableState
    struct State: Equatable, ReplicatedState {
      var count = 0
      @ReplicationIgnored var cache: [Int: String] = [:]
    }
  }

  @Reducer
  struct Editor {
    @ObservableState
    struct State: Equatable {}
  }

  @Reducer
  struct Player {
    @ObservableState
    struct State: Equatable {}
  }

  enum Large {
    struct State: Equatable {
      @Boxed var editor = Editor.State()
      @Boxed var player = Player.State()
    }
  }

  @ObservableState
  struct Marked: Equatable, DurableState, ReplicatedState {
    @ReplicationIgnored @DurableIgnored var cache: [Int: String] = [:]
    @Replicated(formerly: "name") var title = ""
    @ReplicationIgnored @DurableAsCodable var calendar: Calendar = .current
  }

  enum Keeping {
    @ObservableState
    struct Saving: Equatable, DurableState, ReplicatedState {
      @DurableIgnored var isSaving = false
      @ReplicationIgnored @DurableIgnored var cache: [Int: String] = [:]
    }
  }
}

enum BindingDocumentation {
  @Reducer
  struct Form {
    @ObservableState
    struct State: Equatable {
      var query = ""
    }

    enum Action: BindableAction {
      case binding(BindingAction<State>)
      case saveButtonTapped
    }

    var body: some ReducerOf<Self> {
      BindingReducer()
      Reduce { state, action in .none }
    }
  }

  @Reducer
  struct Search {
    @ObservableState
    struct State: Equatable {
      var query = ""
      var isSearching = false
    }

    enum Action: BindableAction {
      case binding(BindingAction<State>)
      case queryChanged
      case search
    }

    enum CancelID { case search }

    @Dependency(\.continuousClock) var clock

    var body: some ReducerOf<Self> {
      BindingReducer()
      Reduce { state, action in
        switch action {
        case .binding(\.query):
          return .send(.search)
        case .binding:
          return .none
        case .queryChanged:
          return .send(.search).debounce(id: CancelID.search, for: .seconds(1), clock: clock)
        case .search:
          return .none
        }
      }
      Reduce { state, action in .none }
        .onChange(of: \.query) { oldValue, state in
          state.isSearching = !state.query.isEmpty
          return .send(.search)
        }
    }
  }

  enum Profile {
    @ObservableState
    struct State: Equatable, ReplicatedState {
      var name = ""
      var age = 0
      var isAdmin = false
    }
  }
}

typealias Profile = BindingDocumentation.Profile

extension Profile.State: BindableFields {
  static var bindableFields: [PartialKeyPath<Self>] { [\.name, \.age] }
}

enum ActionDocumentation {
  @Reducer
  struct Child {
    @ObservableState
    struct State: Equatable {}
    enum Action: Equatable { case closed }
  }

  @CasePathable
  enum Action {
    case tapped(Int)
    case child(Child.Action)
  }

  static func cases() -> (Int?, Bool) {
    let number = Action.tapped(1)[case: \.tapped]  // 1
    let isChild = Action.tapped(1).is(\.child)  // false
    return (number, isChild)
  }

  enum Classic {
    enum AppAction: Equatable {
      case numberFactResponse(TaskResult<String>)
    }
  }

  enum Presenting {
    enum Action {
      case destination(PresentationAction<Destination.Action>)
    }

    struct State {
      @PresentationState var destination: Destination.State?
    }
  }

  enum Observing {
    @ObservableState
    struct State: Equatable {
      @Presents var destination: Destination.State?
    }
  }

  enum Stacking {
    enum Action {
      case path(StackActionOf<Path>)
    }
  }

  enum Listing {
    @Reducer
    struct List {
      @ObservableState
      struct State: Equatable { var rows: IdentifiedArrayOf<Row.State> = [] }

      enum Action { case rows(IdentifiedActionOf<Row>) }

      var body: some ReducerOf<Self> {
        EmptyReducer()
          .forEach(\.rows, action: \.rows) { Row() }
      }
    }
  }

  enum Viewing {
    enum Action: ViewAction {
      case view(View)
      case factResponse(String)

      enum View { case factButtonTapped }
    }
  }
}

@Reducer
struct Edit {
  @ObservableState
  struct State: Equatable { var title = "" }
}

@Reducer
enum Destination {
  case edit(Edit)
}
extension Destination.State: Equatable {}

@Reducer
struct CompositionDocumentation {
  @ObservableState
  struct State: Equatable {
    var counter = Counter.State()
    var child: Child.State?
    var rows: IdentifiedArrayOf<Row.State> = []
    var path = StackState<Detail.State>()
    @Presents var sheet: Edit.State?
    @Presents var destination: Destination.State?
    @Presents var alert: AlertState<Alert>?
  }

  enum Action {
    case counter(Counter.Action)
    case child(Child.Action)
    case rows(IdentifiedActionOf<Row>)
    case path(StackActionOf<Detail>)
    case sheet(PresentationAction<Edit.Action>)
    case destination(PresentationAction<Destination.Action>)
    case alert(PresentationAction<Alert>)
  }

  typealias Child = ActionDocumentation.Child
  typealias ReducerA = EmptyReducer<State, Action>
  typealias ReducerB = EmptyReducer<State, Action>

  struct Scoped: Reducer {
    typealias State = CompositionDocumentation.State
    typealias Action = CompositionDocumentation.Action

    var body: some ReducerOf<Self> {
      Scope(\.counter, action: \.counter) {
        Counter()
      }
      Reduce { state, action in .none }
    }
  }

  struct Optionals: Reducer {
    typealias State = CompositionDocumentation.State
    typealias Action = CompositionDocumentation.Action

    var body: some ReducerOf<Self> {
      Reduce { state, action in .none }
        .ifLet(\.child, action: \.child) {
          Child()
        }
        .ifLet(\.$sheet, action: \.sheet) {
          Edit()
        }
    }
  }

  struct Lists: Reducer {
    typealias State = CompositionDocumentation.State
    typealias Action = CompositionDocumentation.Action

    var body: some ReducerOf<Self> {
      Reduce { state, action in .none }
        .forEach(\.rows, action: \.rows) {
          Row()
        }
        .forEach(\.path, action: \.path) {
          Detail()
        }
    }
  }

  var body: some ReducerOf<Self> {
    Scoped()
    Optionals()
    Lists()
    CombineReducers {
      ReducerA()
      ReducerB()
    }
    .ifLet(\.child, action: \.child) { Child() }
    Reduce { state, action in .none }
      .ifLet(\.$destination, action: \.destination)
      .ifLet(\.$alert, action: \.alert)
  }
}

@Reducer
struct SignpostDocumentation {
  @ObservableState
  struct State: Equatable { var count = 0 }
  enum Action { case incrementButtonTapped }

  private struct Counter: Reducer {
    var body: some Reducer<State, Action> {
      Reduce { state, action in
        switch action {
        case .incrementButtonTapped:
          state.count += 1
          return .none
        }
      }
    }
  }

  var body: some Reducer<State, Action> {
    Counter()
      .signpost("counter")
  }
}

@Reducer
struct Saver {
  @ObservableState
  struct State: Equatable { var isSaving = false }
  enum Action {
    case saveButtonTapped
    case saved
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .saveButtonTapped:
        state.isSaving = true
        return .run(name: "save") { send in await send(.saved) }
      case .saved:
        state.isSaving = false
        return .none
      }
    }
    .onRestored { state, restoration in
      restoration.interrupted("save") ? .send(.saveButtonTapped) : .none
    }
  }
}

@Reducer
struct Reminders {
  @ObservableState
  struct State: Equatable, ReplicatedState {
    var reports = 0
    @ReplicationIgnored var dueAt: Date?
  }

  enum ViewAction: Equatable, WireAction {
    case remindButtonTapped
    case dismissButtonTapped
  }

  enum ReducerAction: DurableAction, Equatable {
    case reminderDue
    case reportDue
  }

  @Dependency(\.date) var date

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .remindButtonTapped:
        state.dueAt = date.now + 3600
        return .schedule(id: "reminder", at: date.now + 3600, .reminderDue)
      case .dismissButtonTapped:
        return .cancel(id: "reminder")
      case .reminderDue: state.dueAt = nil
      case .reportDue: state.reports += 1
      }
      return .none
    }
    .onStart { state, start in
      start.hasSchedule("report")
        ? .none : .schedule(id: "report", every: .seconds(3600), .reportDue)
    }
  }
}
