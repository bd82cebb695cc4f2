import Foundation
import StoreActor

// Code that the documentation of StoreActor shows: effects, navigation, stores, dependencies and
// shared values.

struct Event: Sendable {}

struct EventClient: Sendable {
  var events: @Sendable () -> AsyncStream<Event>
}

struct Shop: Sendable {
  var order: @Sendable () async throws -> Void
}

@Reducer
struct EffectDocumentation {
  @ObservableState
  struct State: Equatable {
    var count = 0
    var isLoading = false
  }

  enum Action {
    case appeared
    case fetchButtonTapped
    case orderButtonTapped
    case closeButtonTapped
    case resetButtonTapped
    case loadButtonTapped
    case loaded(Int)
    case started
    case received(Event)
    case response(Int)
    case orderBegan
    case timerTicked
    case tick
  }

  enum CancelID { case fetch }

  let client: EventClient
  let shop: Shop
  let fetch: @Sendable () async throws -> Int

  @Dependency(\.dismiss) var dismiss

  var body: some ReducerOf<Self> {
    Reduce { [client, shop, fetch, dismiss] state, action in
      switch action {
      case .appeared:
        return .run { send in
          for await event in client.events() {
            await send(.received(event))
          }
        }
      case .fetchButtonTapped:
        return .run { send in
          await send(.started)
          let value = try await withTaskCancellation(id: CancelID.fetch) { try await fetch() }
          await send(.response(value))
        }
      case .orderButtonTapped:
        return .run(name: "order") { send in
          try await send.durable(.orderBegan)
          try await shop.order()
        }
      case .closeButtonTapped:
        return .run { _ in await dismiss() }
      case .resetButtonTapped:
        state.count = 0
        return .send(.loadButtonTapped)
      case .loadButtonTapped:
        state.isLoading = true
        return .run { send in await send(.loaded(try await fetch())) }
      case .tick:
        return .run { send in
          await send(.timerTicked, animation: .interpolatingSpring(stiffness: 3000, damping: 40))
        }
      case .loaded, .started, .received, .response, .orderBegan, .timerTicked:
        return .none
      }
    }
  }
}

@Reducer
struct OutputDocumentation {
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

enum NavigationDocumentation {
  typealias Editor = OutputDocumentation

  enum Action: Equatable { case confirmDeletion, save, discard }

  struct State {
    var path = StackState<Path.State>()
    var alert: AlertState<Action>?
    var dialog: ConfirmationDialogState<Action>?
  }

  static func present(_ state: inout State, _ id: StackElementID) {
    state.alert = AlertState {
      TextState("Delete this item?")
    } actions: {
      ButtonState(role: .destructive, action: .confirmDeletion) { TextState("Delete") }
      ButtonState(role: .cancel) { TextState("Keep") }
    } message: {
      TextState("This cannot be undone.")
    }
    state.dialog = ConfirmationDialogState {
      TextState("Save changes?")
    } actions: {
      ButtonState(action: .save) { TextState("Save") }
      ButtonState(role: .destructive, action: .discard) { TextState("Discard") }
      ButtonState(role: .cancel) { TextState("Cancel") }
    }
    state.path.append(.detail(Detail.State()))
    state.path[id: id, case: \.detail]?.title = "Milk"
    state.path.pop(from: id)
  }

  static func button() -> ButtonState<Action> {
    ButtonState(role: .destructive, action: .confirmDeletion) {
      TextState("Delete")
    }
  }

  static func texts(_ count: Int, _ name: String) -> [TextState] {
    let question = TextState("Delete \(count) items?")
    let title = TextState("Delete ") + TextState(name).bold()
    return [question, title]
  }

  static func rename(_ state: inout ActionDocumentation.Presenting.State) {
    state.$destination[case: \.edit]?.title = "Milk"
  }
}

@MainActor
enum StoreDocumentation {
  final class Label {
    var text = ""
  }

  static func count() {
    let store = Store(initialState: Counter.State()) { Counter() }
    store.send(.incrementButtonTapped)
    print(store.count)  // 1
  }

  nonisolated static func root() async {
    let root = await RootStore(initialState: Counter.State()) { Counter() }
    await root.send(.incrementButtonTapped)
  }

  static func show(_ store: StoreOf<Counter>, in label: Label) -> ObserveToken {
    let token = observe {
      label.text = "\(store.count)"
    }
    return token
  }

  static func follow(_ store: StoreOf<Counter>) async {
    for await state in AsyncStream(statesOf: store) { print(state.count) }
  }

  static func follow(_ store: StoreOf<OutputDocumentation>) async {
    typealias Editor = OutputDocumentation
    for await output in AsyncStream<Editor.Output>(outputsOf: store) {
      switch output {
      case .saved: return
      }
    }
  }

  static func wait(_ store: StoreOf<EffectDocumentation>) async {
    let task = store.send(.loadButtonTapped)
    await task.finish()
  }

  static func end(of store: StoreOf<Counter>) -> String {
    if let end = StoreEnd(of: store) { return "The counter is over: \(end)" }
    return "\(store.count)"
  }

  static func send(_ store: StoreOf<Counter>) async throws {
    do {
      try await store.send(.incrementButtonTapped).applied()
    } catch let failure as ActionFailure where failure.code == .overloaded {
      print("Try again later: \(failure)")
    }
  }

  static func row(_ id: Int, of store: StoreOf<ActionDocumentation.Listing.List>) -> Int? {
    if let row = store.scope(\.rows[id: id], action: \.rows[id: id]) { return row.id }
    return nil
  }
}

// MARK: - Dependencies

func downloadedFact(about number: Int) async throws -> String { "\(number)" }

struct NumberFactClient: Sendable { var fetch: @Sendable (Int) async throws -> String }

extension NumberFactClient: DependencyKey {
  static let liveValue = NumberFactClient { try await downloadedFact(about: $0) }
}
extension DependencyValues {
  var numberFact: NumberFactClient {
    get { self[NumberFactClient.self] }
    set { self[NumberFactClient.self] = newValue }
  }
}

@DependencyClient
struct FactClient {
  var fetch: @Sendable (_ number: Int) async throws -> String
  var isAvailable: @Sendable () -> Bool = { false }
}

extension FactClient: TestDependencyKey {
  static let testValue = FactClient()
}

extension FactClient {
  static let live = FactClient {
    "\($0)"
  } isAvailable: {
    true
  }
}

extension DependencyValues {
  @DependencyEntry(liveValue: FactClient.live) var facts: FactClient = FactClient()
}

struct FeatureModel {
  @Dependency(\.date.now) var now
  @Dependency(NumberFactClient.self) var numberFact
}

@Reducer
struct OwnedList {
  @ObservableState
  struct State: Equatable {
    var owner = UInt32(0)
    var lines: [String] = []
  }

  enum Action { case clearButtonTapped }

  @Dependency(\.origin) var origin

  var body: some ReducerOf<Self> {
    Reduce { [origin] state, action in
      switch action {
      case .clearButtonTapped:
        guard origin.identity.user == state.owner else { return .none }
        state.lines = []
        return .none
      }
    }
  }
}

enum DependencyDocumentation {
  static func secret() -> Int {
    @Dependency(\.withRandomNumberGenerator) var withRandomNumberGenerator
    let secret = withRandomNumberGenerator { Int.random(in: 1...100, using: &$0) }
    return secret
  }

  static func model() -> FeatureModel {
    let model = withDependencies {
      $0.date.now = Date(timeIntervalSince1970: 0)
    } operation: {
      FeatureModel()
    }
    return model
  }

  static func listen(
    _ onMessage: (@escaping @Sendable (String) -> Void) -> Void,
    _ handle: @escaping @Sendable (String) -> Void,
  ) {
    withEscapedDependencies { dependencies in
      onMessage { message in
        dependencies.yield { handle(message) }
      }
    }
  }
}

// MARK: - Shared values

struct Draft: Codable, Equatable, Sendable {
  var title = ""
}

@ObservableState
struct Settings: Equatable, ReplicatedState, Sendable {
  var size = 1
}

struct Book: Codable, Equatable, Identifiable, Sendable {
  var id = 0
  var isDone = false
}

extension SharedKey where Self == AppStorageKey<Bool>.Default {
  static var isOn: Self { Self[.appStorage("isOn"), default: false] }
}

enum SharedDocumentation {
  enum Editor {
    struct State: Equatable { @Shared var title: String }
  }

  @ObservableState
  struct State: Equatable {
    @Shared(.appStorage("isOn")) var isOn = false
    @Shared var draft: Draft
    var editor: Editor.State?
  }

  static func edit(_ state: inout State) {
    state.$isOn.withLock { $0.toggle() }
    state.editor = Editor.State(title: state.$draft.title)
  }

  static func keys() -> (Bool, [Book]) {
    @Shared(.isOn) var isOn
    @Shared(.fileStorage(.documentsDirectory.appending(component: "books.json")))
    var books: [Book] = []
    return (isOn, books)
  }

  static func finish(_ rows: Shared<IdentifiedArrayOf<Book>>) {
    @Shared(projectedValue: rows) var rows
    for row in Array($rows) { row.withLock { $0.isDone = true } }
  }

  static func grow() async throws {
    @Shared(.store("settings")) var settings = Settings()
    try await Shared.update($settings) { $0.size = 2 }
  }

  static func reader() -> Int {
    @Shared(value: Draft(title: "Milk")) var draft
    @SharedReader(projectedValue: SharedReader($draft.title)) var title
    return title.count
  }
}

struct BoxKey: SharedKey {
  let name: String
  let box: LockIsolated<[String: Int]>

  var id: String { name }

  func load(context: LoadContext<Int>, continuation: LoadContinuation<Int>) {
    continuation.resume(with: .success(box.value[name]))
  }

  func subscribe(
    context: LoadContext<Int>,
    subscriber: SharedSubscriber<Int>,
  ) -> SharedSubscription {
    SharedSubscription {}
  }

  func save(_ value: Int, context: SaveContext, continuation: SaveContinuation) {
    box.withValue { $0[name] = value }
    continuation.resume()
  }
}
