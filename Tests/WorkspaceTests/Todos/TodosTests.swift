import StoreActor
import StoredWorkspace
import Testing

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct TodosTests {
  @Test("New todos are appended, each with its own id")
  func adds() async {
    let store = TestStore(initialState: Todos.State()) {
      Todos()
    } withDependencies: {
      $0.uuid = .incrementing
    }

    await store.send(.addButtonTapped(title: "Milk")) {
      $0.items = [Todo.State(id: UUID(0), title: "Milk")]
    }
    await store.send(.addButtonTapped(title: "Bread")) {
      $0.items.append(Todo.State(id: UUID(1), title: "Bread"))
    }
  }

  @Test("A row's action reaches only the row with its id")
  func reachesARow() async {
    let store = makeStore("Milk", "Bread")

    await store.send(\.items[id: UUID(1)].toggleButtonTapped) {
      $0.items[id: UUID(1)]?.isCompleted = true
    }
    await store.send(\.items[id: UUID(0)].titleChanged, "Oat milk") {
      $0.items[id: UUID(0)]?.title = "Oat milk"
    }
  }

  @Test("Completed todos are cleared, the others keep their order")
  func clearsCompleted() async {
    let store = makeStore("Milk", "Bread", "Eggs", completed: [0, 2])

    await store.send(.clearCompletedButtonTapped) {
      $0.items = [Todo.State(id: UUID(1), title: "Bread")]
    }
    await store.send(.clearCompletedButtonTapped)
  }

  @Test("The filter decides which rows are shown, not which exist")
  func filters() async {
    let store = makeStore("Milk", "Bread", completed: [0])
    #expect(store.state.filteredItems.map(\.title) == ["Milk", "Bread"])

    await store.send(.filterPicked(filter: .active)) { $0.filter = .active }
    #expect(store.state.filteredItems.map(\.title) == ["Bread"])
    await store.send(.filterPicked(filter: .completed)) { $0.filter = .completed }
    #expect(store.state.filteredItems.map(\.title) == ["Milk"])
    await store.send(.filterPicked(filter: .all)) { $0.filter = .all }
    #expect(store.state.items.count == 2)
  }

  @Test(
    "A row moves before the row at an offset, which is counted before the move",
    arguments: [
      (0, 0, "ABC"), (0, 1, "ABC"), (0, 2, "BAC"), (0, 3, "BCA"),
      (1, 0, "BAC"), (1, 1, "ABC"), (1, 2, "ABC"), (1, 3, "ACB"),
      (2, 0, "CAB"), (2, 1, "ACB"), (2, 2, "ABC"), (2, 3, "ABC"),
    ],
  )
  func moves(row: Int, offset: Int, order: String) {
    let state = reduce(.moved(id: UUID(row), toOffset: offset), "A", "B", "C")
    #expect(state.items.map(\.title).joined() == order)
  }

  @Test(
    "An offset outside of the list means its nearer end",
    arguments: [(-1, "CAB"), (.min, "CAB"), (4, "ABC"), (.max, "ABC")] as [(Int, String)],
  )
  func clampsOffsets(offset: Int, order: String) {
    let state = reduce(.moved(id: UUID(2), toOffset: offset), "A", "B", "C")
    #expect(state.items.map(\.title).joined() == order)
  }

  @Test("A row is removed by its id")
  func removes() async {
    let store = makeStore("Milk", "Bread")

    await store.send(.removed(id: UUID(0))) { $0.items.remove(id: UUID(0)) }
    #expect(store.state.items.map(\.title) == ["Bread"])
  }

  @Test("An action on a row that another client has removed has no effect")
  func ignoresAbsentRows() async {
    let store = makeStore("Milk")

    await store.send(.removed(id: UUID(7)))
    await store.send(.moved(id: UUID(7), toOffset: 0))
    await store.send(\.items[id: UUID(7)].toggleButtonTapped)
    await store.send(\.items[id: UUID(7)].titleChanged, "Gone")
  }

  private func makeStore(
    _ titles: String...,
    completed: Set<Int> = [],
  ) -> TestStore<Todos.State, Todos.Action> {
    TestStore(initialState: Todos.State(titles: titles, completed: completed)) { Todos() }
  }

  private func reduce(_ action: Todos.Action, _ titles: String...) -> Todos.State {
    var state = Todos.State(titles: titles)
    _ = Todos().reduce(into: &state, action: action)
    return state
  }
}

extension Todos.State {
  /// Creates rows with the ids 0, 1, and so on.
  init(titles: [String], completed: Set<Int> = []) {
    let rows = titles.enumerated().map { index, title in
      Todo.State(id: UUID(index), title: title, isCompleted: completed.contains(index))
    }
    self.init(items: IdentifiedArray(uniqueElements: rows))
  }
}
