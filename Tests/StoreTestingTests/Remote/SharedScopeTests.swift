import StoreActor
import StoreExposures
import StoreReplica
import StoreState
import Testing

@testable import StoreTesting

@ObservableState
private struct Settings: Equatable, ReplicatedState, Sendable {
  var title = "first"
  var size = 1
}

/// The shared values of a daemon.
@Reducer
private struct Office {
  @ObservableState
  struct State: Equatable, Sendable {
    @Shared(.store("settings")) var settings = Settings()
    @Shared(.store("size")) var size = 1
    @Shared(.store("fixed")) var fixed = 1
  }

  enum Action: Equatable, Sendable {
    case renamed(String)
    case resized(Int)
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .renamed(let title): state.$settings.title.withLock { $0 = title }
      case .resized(let size):
        state.$settings.size.withLock { $0 = size }
        state.$size.withLock { $0 = size }
        state.$fixed.withLock { $0 = size }
      }
      return .none
    }
  }

  static let exposures: [Expose<State, Action>] = [
    Expose("settings", shared: \.$settings, isEditable: true),
    Expose("size", shared: \.$size, isEditable: true),
    Expose("fixed", shared: \.$fixed),
  ]
}

/// A client's form of the daemon's settings.
@Reducer
private struct Form {
  @ObservableState
  struct State: Equatable, Sendable {
    @Shared(.store("settings")) var settings = Settings(title: "default")
    @Shared(.store("size")) var size = 0
    var saved = 0
  }

  enum Action: Equatable, Sendable {
    case renamed(String)
    case saveButtonTapped(String)
    case saved
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .renamed(let title):
        state.$settings.title.withLock { $0 = title }
        return .none
      case .saveButtonTapped(let title):
        return .run { [settings = state.$settings] send in
          try await Shared.update(settings) { $0.title = title }
          await send(.saved)
        }
      case .saved:
        state.saved += 1
        return .none
      }
    }
  }
}

extension SharedKey where Self == StoreScopeKey<Settings>.Default {
  fileprivate static var office: Self {
    Self[.store("settings"), default: Settings(title: "default")]
  }
}

@Suite("Values that are shared with a daemon", .timeLimit(.minutes(1)))
@MainActor
struct SharedScopeTests {
  private let daemon: InMemoryDaemon<Office.State, Office.Action>
  private let scopes: ClientSharedScopes

  init() {
    let root = RootCore<Office.State, Office.Action>(
      initialState: { Office.State() },
      reducer: { Office() },
      withDependencies: { $0.shareNothing() },
    )
    daemon = InMemoryDaemon(root: root, exposures: Office.exposures)
    scopes = ClientSharedScopes(daemon.client)
  }

  private func share<R>(_ operation: () throws -> R) rethrows -> R {
    try withDependencies {
      $0.sharedScopes = scopes
    } operation: {
      try operation()
    }
  }

  private func settings() async -> Shared<Settings> {
    let settings = share { Shared(wrappedValue: Settings(title: "default"), .store("settings")) }
    await turns { !settings.isLoading }
    #expect(settings.wrappedValue == Settings())
    return settings
  }

  private func turns(until condition: () -> Bool) async {
    for _ in 0..<10_000 where !condition() { await Task.yield() }
    #expect(condition())
  }

  @Test func `A key with a default value updates the daemon's value as one without`() async throws {
    let settings = share { Shared(.office) }
    // Before the value has arrived.
    try await Shared.update(settings) { $0.size += 1 }
    #expect(daemon.root.state.settings == Settings(size: 2))
  }

  @Test func `A change in one is seen by the other, and is sent as a delta`() async {
    let settings = await settings()
    daemon.root.send(.renamed("second"))
    #expect(settings.wrappedValue.title == "second")
    settings.withLock { $0.size = 2 }
    #expect(settings.wrappedValue == Settings(title: "second", size: 2))
    await turns { daemon.root.state.settings.size == 2 }
    #expect(daemon.root.state.settings == settings.wrappedValue)
    #expect(daemon.root.revision == 2)
    // A change without an action.
    daemon.root.state.$settings.size.withLock { $0 = 3 }
    await turns { settings.wrappedValue.size == 3 }
    #expect(settings.saveError == nil && settings.loadError == nil)
    #expect(daemon.takeRepairs() == [])
  }

  @Test func `Before the first snapshot there is the default, and changes are refused`() async {
    let settings = share { Shared(wrappedValue: Settings(title: "default"), .store("settings")) }
    #expect(settings.wrappedValue.title == "default")
    #expect(settings.isLoading)
    settings.withLock { $0.title = "too early" }
    #expect(settings.wrappedValue.title == "default")
    #expect((settings.saveError as? ActionFailure)?.code == .notSent)
    await turns { !settings.isLoading }
    #expect(settings.wrappedValue == Settings())
    settings.withLock { $0.title = "now" }
    await turns { daemon.root.state.settings.title == "now" }
    #expect(settings.saveError == nil)
  }

  @Test func `Several unsent changes become one`() async throws {
    let settings = await settings()
    for size in 2...5 { settings.withLock { $0.size = size } }
    await turns { daemon.root.state.settings.size == 5 }
    #expect(daemon.root.revision == 1)
    settings.withLock { $0.size = 6 }
    try await settings.save()
    #expect(daemon.root.state.settings.size == 6)
  }

  @Test func `A change of another value than the daemon's is refused`() async {
    let settings = await settings()
    settings.withLock { $0.size = 2 }
    daemon.root.send(.renamed("second"))
    // The change is on its way.
    #expect(settings.wrappedValue == Settings(size: 2))
    await turns { settings.saveError != nil }
    #expect((settings.saveError as? ActionFailure)?.code == .conflict)
    #expect(settings.wrappedValue == Settings(title: "second"))
    #expect(daemon.root.state.settings == Settings(title: "second"))
    #expect(daemon.root.revision == 1)
    settings.withLock { $0.size = 3 }
    await turns { daemon.root.state.settings == Settings(title: "second", size: 3) }
    #expect(settings.saveError == nil)
  }

  @Test func `An update runs on the daemon's value, and again after a conflict`() async throws {
    let settings = await settings()
    let seen = LockIsolated<[Int]>([])
    let elsewhere = daemon.root.state.$settings.size
    try await Shared.update(settings) { settings in
      let size = settings.size
      seen.withValue { $0.append(size) }
      if seen.value.count == 1 { elsewhere.withLock { $0 = 10 } }
      settings.size += 1
    }
    #expect(seen.value == [1, 10])
    #expect(settings.wrappedValue.size == 11)
    #expect(daemon.root.state.settings.size == 11)
    try await Shared.update(settings.title) { $0 += "!" }
    #expect(settings.wrappedValue.title == "first!")
  }

  @Test func `A scope exposed for reading cannot be changed`() async {
    let fixed = share { Shared(wrappedValue: 0, .store("fixed")) }
    await turns { !fixed.isLoading }
    fixed.withLock { $0 = 7 }
    await turns { fixed.saveError != nil }
    #expect((fixed.saveError as? ActionFailure)?.code == .rejected)
    #expect(fixed.wrappedValue == 1)
    #expect(daemon.root.state.fixed == 1 && daemon.root.revision == 0)
  }

  @Test func `An unknown scope is reported as an error`() async {
    let missing = share { Shared(wrappedValue: 4, .store("missing")) }
    await turns { missing.loadError != nil }
    #expect(!missing.isLoading)
    #expect(missing.wrappedValue == 4)
    await #expect(throws: ActionFailure.self) { try await Shared.update(missing) { $0 += 1 } }
  }

  @Test func `A changed and released value is sent all the same, and the scope is left`() async {
    do {
      let settings = await settings()
      settings.withLock { $0.size = 2 }
      settings.withLock { $0.size = 3 }
    }
    await turns { daemon.root.state.settings.size == 3 }
    await turns { daemon.client.unheldScopes == ["settings"] }
    let again = share { Shared(wrappedValue: Settings(title: "default"), .store("settings")) }
    await turns { !again.isLoading }
    #expect(again.wrappedValue.size == 3)
    #expect(daemon.client.unheldScopes == [])
  }

  @Test func `All that a program shares with its daemon is of one revision`() async {
    let core = share { RootCore(initialState: { Form.State() }, reducer: { Form() }) }
    await turns { core.state.size == 1 && core.state.settings.size == 1 }
    var shown: [[Int]] = []
    core.onCommit = { _, _, state in shown.append([state.size, state.settings.size]) }
    for size in 2...4 {
      daemon.root.send(.resized(size))
      await turns { core.state.size == size }
    }
    #expect(shown == [[2, 2], [3, 3], [4, 4]])
  }

  @Test func `A client's feature is tested exhaustively`() async {
    let store = TestStore(initialState: Form.State()) {
      Form()
    } withDependencies: {
      $0.sharedScopes = scopes
    }
    #expect(store.state.$settings.isLoading)
    await store.receiveSharedChange {
      $0.$settings.withLock { $0 = Settings() }
      $0.$size.withLock { $0 = 1 }
    }
    await store.send(.renamed("second")) { $0.$settings.title.withLock { $0 = "second" } }
    await turns { daemon.root.state.settings.title == "second" }
    daemon.root.send(.renamed("third"))
    await store.receiveSharedChange { $0.$settings.title.withLock { $0 = "third" } }
    await store.send(.saveButtonTapped("fourth"))
    await store.receive(.saved) {
      $0.$settings.title.withLock { $0 = "fourth" }
      $0.saved = 1
    }
    #expect(daemon.root.state.settings.title == "fourth")
  }
}
