import StoreActor
import StoreTesting
import Testing

/// The tests in the documentation of StoreActor and StoreTesting.
///
/// A house rule compares them with the documentation comments.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct DocumentedTests {
  @Reducer
  struct Counter {
    @ObservableState
    struct State: Equatable { var count = 0 }
    enum Action { case incrementButtonTapped, startTimerButtonTapped }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .incrementButtonTapped:
          state.count += 1
          return .none
        case .startTimerButtonTapped:
          return .run { _ in try await Task.never() }
        }
      }
    }
  }

  @Reducer
  struct Editor {
    @ObservableState
    struct State: Equatable { var isSaved = false }
    enum Action { case saveButtonTapped }

    @CasePathable
    enum Output: Equatable, Sendable { case saved }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .saveButtonTapped:
          state.isSaved = true
          return .output(Output.saved)
        }
      }
    }
  }

  @MainActor @Test func increments() async {
    let store = TestStore(initialState: Counter.State()) { Counter() }
    await store.send(.incrementButtonTapped) { $0.count = 1 }
  }

  @Test func `The assertions of a test that is not exhaustive hold`() async {
    let store = TestStore(initialState: Counter.State()) { Counter() }
    store.exhaustivity = .off
    await store.send(.incrementButtonTapped)
    await store.send(.incrementButtonTapped) { $0.count = 2 }
    #expect(store.state.count == 2)
  }

  @Test func `Outputs are received`() async {
    let store = TestStore(initialState: Editor.State()) { Editor() }
    await store.send(.saveButtonTapped) { $0.isSaved = true }
    await store.receive(output: Editor.Output.saved)
    await store.send(.saveButtonTapped)
    await store.receive(outputOf: Editor.Output.self) { $0.is(\.saved) }
  }

  @Test func `A task of an action is canceled`() async {
    let store = TestStore(initialState: Counter.State()) { Counter() }
    let task = await store.send(.startTimerButtonTapped)
    await task.cancel()
    #expect(task.isCancelled)
  }
}

/// Tests of the documentation that use a daemon in memory.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct RemoteDocumentedTests {
  @Reducer
  struct Counter {
    @ObservableState
    struct State: Equatable, ReplicatedState, Sendable { var count = 0 }
    enum Action: Equatable, Sendable, WireAction { case incrementButtonTapped }

    var body: some ReducerOf<Self> {
      Reduce { state, _ in
        state.count += 1
        return .none
      }
    }
  }

  @Reducer
  struct Todos {
    @ObservableState
    struct State: Equatable, ReplicatedState, Sendable { var titles: [String] = [] }
    enum Action: Equatable, Sendable, WireAction { case addButtonTapped(title: String) }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .addButtonTapped(let title):
          state.titles.append(title)
          return .none
        }
      }
    }
  }

  @Reducer
  struct App {
    struct State: Equatable, Sendable { var todos = Todos.State() }
    enum Action: Sendable { case todos(Todos.Action) }

    var body: some ReducerOf<Self> {
      Scope(\.todos, action: \.todos) { Todos() }
    }
  }

  struct Settings: Equatable, Sendable { var size = 1 }

  @Reducer
  struct Form {
    @ObservableState
    struct State: Equatable { @Shared(.inMemory("settings")) var settings = Settings(size: 3) }
  }

  /// Stands in for the connection to a daemon that shares settings.
  struct Connection {
    func share(in values: inout DependencyValues) {
      values.defaultInMemoryStorage = InMemoryStorage()
    }
  }

  @Test(arguments: [false, true]) func increments(isRemote: Bool) async {
    let store =
      isRemote
      ? TestStore(remote: Counter.State()) { Counter() }
      : TestStore(initialState: Counter.State()) { Counter() }
    await store.send(.incrementButtonTapped) { $0.count = 1 }
  }

  @Test func `A scope is tested as its clients see it`() async {
    let store = TestStore(remote: App.State(), state: \.todos, action: \.todos) { App() }
    await store.send(.addButtonTapped(title: "Milk")) { $0.titles = ["Milk"] }
  }

  @Test func `A change by another process is received`() async {
    let connection = Connection()
    let store = TestStore(initialState: Form.State()) {
      Form()
    } withDependencies: {
      connection.share(in: &$0)
    }
    store.state.$settings.withLock { $0 = Settings() }
    await store.receiveSharedChange { $0.$settings.withLock { $0 = Settings() } }
  }

  @Reducer
  struct JobQueue {
    @ObservableState
    struct State: Equatable { var jobs: [String] = [] }
    enum Action { case add(String) }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .add(let job):
          guard state.jobs.count < 50 else { return .refuse("At most 50 jobs.", code: "full") }
          state.jobs.append(job)
          return .none
        }
      }
    }
  }

  @Reducer
  struct Office {
    @ObservableState
    struct State: Equatable {
      var queue = JobQueue.State()
      var reasons: [String] = []
    }
    enum Action { case queue(JobQueue.Action) }

    var body: some ReducerOf<Self> {
      Scope(\.queue, action: \.queue) { JobQueue() }
        .onRefusal { state, _, refusal in
          state.reasons.append(refusal.reason)
          return .none
        }
    }
  }

  @Reducer
  struct Pantry {
    @ObservableState
    struct State: Equatable {
      var list = ShoppingList.State()
      var newest: UUID?
    }
    enum Action { case list(ShoppingList.Action) }

    var body: some ReducerOf<Self> {
      Scope(\.list, action: \.list) { ShoppingList() }
        .onReply(UUID.self) { state, _, id in
          state.newest = id
          return .reply(id)
        }
    }
  }

  private let full = JobQueue.State(jobs: Array(repeating: "job", count: 50))

  @Test func refusal() async throws {
    let store = TestStore(initialState: full) { JobQueue() }
    await store.send(.add("last"), refused: "At most 50 jobs.", code: "full")
  }

  @Reducer
  struct ShoppingList {
    struct State: Equatable {
      var items: [Item] = []
    }
    struct Item: Equatable {
      var id: UUID
      var title: String
    }
    enum Action { case add(String) }

    @Dependency(\.uuid) var uuid

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
      switch action {
      case .add(let title):
        let item = Item(id: uuid(), title: title)
        state.items.append(item)
        return .reply(item.id)
      }
    }
  }

  @Test func reply() async throws {
    typealias Item = ShoppingList.Item
    let store = TestStore(initialState: ShoppingList.State()) {
      ShoppingList()
    } withDependencies: {
      $0.uuid = .incrementing
    }
    await store.send(.add("Milk"), replied: UUID(0)) {
      $0.items.append(Item(id: UUID(0), title: "Milk"))
    }
  }

  @Test func awaitedReply() async throws {
    let store = Store(initialState: ShoppingList.State()) {
      ShoppingList()
    } withDependencies: {
      $0.uuid = .incrementing
    }
    let id = try await store.send(.add("Milk")).reply(UUID.self)
    #expect(store.state.items.map(\.id) == [id])
    let home = Store(initialState: Pantry.State()) {
      Pantry()
    } withDependencies: {
      $0.uuid = .incrementing
    }
    let newest = try await home.send(.list(.add("Tea"))).reply(UUID.self)
    #expect(home.state.newest == newest)
  }

  @Test func handledRefusal() async throws {
    let store = Store(initialState: full) { JobQueue() }
    let job = "last"
    var shown: [String] = []
    func show(_ text: String) { shown.append(text) }
    do {
      try await store.send(.add(job)).applied()
    } catch let failure as ActionFailure where failure.refusal?.code == "full" {
      show(failure.message)
    }
    #expect(shown == ["At most 50 jobs."])
  }

  @Test func acceptedRefusal() async {
    let store = TestStore(initialState: Office.State(queue: full)) { Office() }
    await store.send(.queue(.add("last"))) { $0.reasons = ["At most 50 jobs."] }
  }

  @Reducer
  struct Printing {
    struct State: Equatable {
      var pages = 0
    }
    enum Action {
      case printButtonTapped
      case printed(Int)
    }
    enum CancelID { case print }

    let printer: @Sendable () async throws -> Int

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
      switch action {
      case .printButtonTapped:
        return .run(name: "print", owner: .daemon) { [printer] send in
          await send(.printed(try await printer()))
        }
        .cancellable(id: CancelID.print)
      case .printed(let pages):
        state.pages += pages
        return .none
      }
    }
  }

  @Test func conditional() async throws {
    let store = Store(initialState: ShoppingList.State()) {
      ShoppingList()
    } withDependencies: {
      $0.uuid = .incrementing
    }
    try await store.send(.add("Milk"), ifUnchanged: true).applied()
    #expect(store.state.items.count == 1)
  }

  @Test func outliving() async throws {
    let store = TestStore(initialState: Printing.State()) { Printing { 3 } }
    let task = await store.send(.printButtonTapped)
    await task.cancel()
    await store.receive(\.printed) { $0.pages = 3 }
  }
}
