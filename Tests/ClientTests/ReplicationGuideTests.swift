import Foundation
import StoreActor
import StoreClient
import StoreDaemon
import StoredWorkspace
import Testing

/// The code of the replication guide, in the file that the guide names.
private enum Guide {
  typealias App = WorkspaceFeature

  @ObservableState
  struct Settings: Equatable, ReplicatedState, Sendable {
    var title = "Untitled"
    var size = 1
  }

  @Reducer
  struct Form {
    @ObservableState
    struct State: Equatable, Sendable {
      @Shared(.store("settings")) var settings = Settings()
    }

    enum Action: Equatable, Sendable {
      case titleChanged(String)
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .titleChanged(let title): state.$settings.title.withLock { $0 = title }
        }
        return .none
      }
    }
  }

  /// The scopes that a daemon exposes; its file imports the daemon's module.
  static var appExposures: [Expose<App.State, App.Action>] {
    let exposures: [Expose<App.State, App.Action>] = [
      Expose("counter", state: \.counter, action: \.counter),
      Expose("game/results", state: \.game.resultList, action: \.game.resultList),
      Expose(each: "todos/items", state: \.todos.items, action: \.todos.items),
      Expose("presence", state: \.presence),
    ]
    return exposures
  }
}

@MainActor
@Suite(.serialized, .timeLimit(.minutes(1))) struct ReplicationGuideTests {
  private typealias Settings = Guide.Settings
  private typealias Form = Guide.Form

  @Test func `The guide's exposures have the names that clients use`() {
    #expect(
      Guide.appExposures.map(\.name) == ["counter", "game/results", "todos/items", "presence"]
    )
  }

  @Test func `A form's test sees its daemon's settings and the changes of others`() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "form-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let host = StoreHost(
      initialState: Form.State(settings: Settings(title: "Ours")),
      exposures: [
        Expose("settings", shared: \.$settings, isEditable: true)
      ],
      configuration: HostConfiguration(directory: directory),
    ) {
      Form()
    }
    try host.start()
    defer { host.stop() }
    let connection = try StoreConnection(to: StoreLocation(directory: directory), name: "form")
    let store = TestStore(initialState: Form.State()) {
      Form()
    } withDependencies: {
      connection.share(in: &$0)
    }
    await store.receiveSharedChange { $0.$settings.title.withLock { $0 = "Ours" } }
    await store.send(.titleChanged("New")) { $0.$settings.title.withLock { $0 = "New" } }
    host.store.send(.titleChanged("Theirs"))
    await store.receiveSharedChange { $0.$settings.title.withLock { $0 = "Theirs" } }
    #expect(host.store.settings.title == "Theirs")
  }
}
