import StoreActor
import StoreReplication
import StoreState
import Testing
import Workspace

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

  @Test("A session that comes and goes is present meanwhile")
  func followsSessions() async throws {
    let info = SessionInfo(id: 9, name: "ann", address: "localhost:1000:1000:71")
    let store = TestStore(initialState: WorkspaceFeature.State()) { WorkspaceFeature() }

    await store.send(try #require(WorkspaceFeature.action(for: .joined(info)))) {
      $0.presence.sessions = [.init(id: 9, name: "ann", address: "localhost:1000:1000:71")]
    }
    await store.send(try #require(WorkspaceFeature.action(for: .left(info)))) {
      $0.presence.sessions = []
    }
  }

  @Test("The scopes are the counter, the game, its results, the todos, each todo, and who is there")
  func exposes() {
    #expect(
      WorkspaceFeature.exposures.map(\.description.pattern) == [
        "counter", "game", "game/results", "todos", "todos/items/<id>", "presence",
      ]
    )
  }

  @Test("Who is present can be looked at only: its scope has no actions")
  func presenceIsReadOnly() throws {
    let presence = try #require(WorkspaceFeature.exposures.last)
    #expect(presence.name == "presence")
    #expect(try caseNames(in: presence.description.action) == [])
    let source = try presence.source(nil)
    for name in ["sessionJoined", "sessionLeft"] {
      for action in [
        GenericValue.text(name),
        .map([.init(.text(name), .map([.init(.text("id"), .unsigned(9))]))]),
      ] {
        var decoder = CBORDecoder(action.encoded())
        #expect(throws: CodecError.self) { try source.rootAction(from: &decoder) }
      }
    }
  }

  @Test("A client's action arrives as the root's, its state is a part of the root's")
  func pullsBack() throws {
    let root = WorkspaceFeature.State(todos: Todos.State(titles: ["Milk"]))

    let row = try scope("todos/items", id: UUID(0).uuidString)
    var decoder = CBORDecoder(try Todo.Action.toggleButtonTapped.encoded())
    #expect(
      try row.rootAction(from: &decoder)
        == .todos(.items(.element(id: UUID(0), action: .toggleButtonTapped)))
    )
    #expect(row.isPresent(in: root))
    #expect(try !scope("todos/items", id: UUID(1).uuidString).isPresent(in: root))

    let counter = try scope("counter")
    decoder = CBORDecoder(try Counter.Action.incrementButtonTapped.encoded())
    #expect(try counter.rootAction(from: &decoder) == .counter(.incrementButtonTapped))
    var encoder = CBOREncoder()
    counter.encode(root, to: &encoder)
    #expect(encoder.bytes == Counter.State?.some(root.counter).encoded())
  }

  @Test("What changes in one feature is a delta of its scopes only")
  func deltasStayInTheirScopes() throws {
    let old = WorkspaceFeature.State(todos: Todos.State(titles: ["Milk", "Bread"]))
    var new = old
    new.todos.items[id: UUID(0)]?.isCompleted = true
    let changed = try ["counter", "presence", "todos"].filter { try changes($0, nil, old, new) }
    #expect(changed == ["todos"])
    #expect(try changes("todos/items", UUID(0).uuidString, old, new))
    #expect(try !changes("todos/items", UUID(1).uuidString, old, new))
  }

  private typealias Source = ScopeSource<WorkspaceFeature.State, WorkspaceFeature.Action>

  private func scope(_ name: String, id: String? = nil) throws -> Source {
    try #require(WorkspaceFeature.exposures.first { $0.name == name }).source(id)
  }

  private func changes(
    _ name: String,
    _ id: String?,
    _ old: WorkspaceFeature.State,
    _ new: WorkspaceFeature.State,
  ) throws -> Bool {
    var encoder = CBOREncoder()
    return try scope(name, id: id).encodeDelta(from: old, to: new, into: &encoder)
  }
}
