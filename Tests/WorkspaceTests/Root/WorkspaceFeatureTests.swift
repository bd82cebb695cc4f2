import GenericState
import StoreActor
import StoreState
import StoredWorkspace
import Testing

@testable import StoreExposures
@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreServer

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct WorkspaceFeatureTests {
  @Test("Each action reaches its feature")
  func runsItsFeatures() async {
    let store = TestStore(initialState: WorkspaceFeature.State()) {
      WorkspaceFeature()
    } withDependencies: {
      $0.uuid = .incrementing
      $0.numberFact.fetch = { "\($0) is fine." }
    }

    await store.send(\.counter, .incrementButtonTapped) { $0.counter.count = 1 }
    await store.send(\.todos, .addButtonTapped(title: "Milk")) {
      $0.todos.items = [Todo.State(id: UUID(0), title: "Milk")]
    }
    await store.send(\.todos.items[id: UUID(0)].toggleButtonTapped) {
      $0.todos.items[id: UUID(0)]?.isCompleted = true
    }
    await store.send(\.counter, .numberFactButtonTapped)
    await store.receive(\.counter.numberFactResponse) {
      $0.counter.numberFactAlert = "1 is fine."
    }
  }

  @Test("A session is present from joining to leaving")
  func followsSessions() async throws {
    let info = SessionInfo(
      id: 9,
      name: "ann",
      address: "localhost:1000:1000:71",
      identity: .user(1000, group: 1000, process: 71),
    )
    let store = TestStore(initialState: WorkspaceFeature.State()) { WorkspaceFeature() }

    await store.send(try #require(WorkspaceFeature.action(for: .joined(info)))) {
      $0.presence.sessions = [
        .init(id: 9, name: "ann", address: "localhost:1000:1000:71", user: 1000)
      ]
    }
    await store.send(try #require(WorkspaceFeature.action(for: .left(info)))) {
      $0.presence.sessions = []
    }
  }

  @Test("The scopes are the counter, the game, its results, the todos, each todo, and the presence")
  func exposes() {
    #expect(
      WorkspaceFeature.exposures.map(\.description.pattern) == [
        "counter", "game", "game/results", "todos", "todos/items/<id>", "presence",
      ]
    )
  }

  @Test("The presence is read-only: its scope has no actions")
  func presenceIsReadOnly() throws {
    let presence = try #require(WorkspaceFeature.exposures.last)
    #expect(presence.name == "presence")
    #expect(try caseNames(in: presence.description.action) == [])
    let (_, root) = rootAndPort(WorkspaceFeature.State())
    let scope = try scope("presence", in: root)
    for name in ["sessionJoined", "sessionLeft"] {
      for action in [
        GenericValue.text(name),
        .map([.init(.text(name), .map([.init(.text("id"), .unsigned(9))]))]),
      ] {
        #expect(throws: CodecError.self) { try root.send(action.encoded()[...], to: scope) }
      }
    }
  }

  @Test("A client's action becomes the root's; a client's state is a part of the root's")
  func pullsBack() throws {
    let (core, root) = rootAndPort(WorkspaceFeature.State(todos: Todos.State(titles: ["Milk"])))

    let row = try scope("todos/items", id: UUID(0), in: root)
    let toggle = try Todo.Action.toggleButtonTapped.encoded()[...]
    #expect(try root.send(toggle, to: row) != nil)
    #expect(core.state.todos.items[id: UUID(0)]?.isCompleted == true)
    #expect(try root.send(toggle, to: scope("todos/items", id: UUID(1), in: root)) == nil)

    let counter = try scope("counter", in: root)
    _ = try root.send(Counter.Action.incrementButtonTapped.encoded()[...], to: counter)
    #expect(core.state.counter.count == 1)
    #expect(core.revision == 2)
    var encoder = CBOREncoder()
    root.version().read { counter.source.encode($0, &encoder) }
    #expect(encoder.bytes == Counter.State?.some(core.state.counter).encoded())
  }

  @Test("A change in one feature is a delta of only its scopes")
  func deltasStayInTheirScopes() throws {
    let state = WorkspaceFeature.State(todos: Todos.State(titles: ["Milk", "Bread"]))
    let (core, root) = rootAndPort(state)
    let old = root.version()
    core.send(.todos(.items(.element(id: UUID(0), action: .toggleButtonTapped))))
    let new = root.version()
    func changes(_ name: String, id: UUID? = nil) throws -> Bool {
      var encoder = CBOREncoder()
      let source = try scope(name, id: id, in: root).source
      return old.read { old in new.read { source.encodeDelta(old, $0, &encoder) } }
    }
    #expect(try ["counter", "presence", "todos"].filter { try changes($0) } == ["todos"])
    #expect(try changes("todos/items", id: UUID(0)))
    #expect(try !changes("todos/items", id: UUID(1)))
  }

  private typealias Root = TypedRoot<WorkspaceFeature.State, WorkspaceFeature.Action>

  private func rootAndPort(
    _ state: WorkspaceFeature.State
  ) -> (RootCore<WorkspaceFeature.State, WorkspaceFeature.Action>, Root) {
    let core = RootCore(initialState: { state }, reducer: { WorkspaceFeature() })
    let root = Root(
      core,
      exposures: WorkspaceFeature.exposures,
      limits: Limits(),
      sessionAction: { WorkspaceFeature.action(for: $0) },
    )
    return (core, root)
  }

  private func scope(_ name: String, id: UUID? = nil, in root: Root) throws -> RootScope {
    let name = id.map { "\(name)/\($0.uuidString)" } ?? name
    return try #require(root.scope(called: name)).get().scope
  }
}
