import StoreActorClassic
import Testing

private struct Todo: Equatable, Identifiable {
  var isComplete = false
  var description: String
  var id: UUID
}

private struct TodosState: Equatable {
  var todos: IdentifiedArrayOf<Todo>
}

private enum TodosAction: Equatable {
  case todoCheckboxTapped(id: UUID)
}

private let todosReducer = Reducer<TodosState, TodosAction, DebugEnvironment> { state, action, _ in
  switch action {
  case .todoCheckboxTapped(let id):
    state.todos[id: id]?.isComplete.toggle()
    return .none
  }
}

@MainActor
@Suite("debug()")
struct DebugTests {
  private static func uuid(_ last: Int) throws -> UUID {
    try #require(UUID(uuidString: "5834811A-83B4-4E5E-BCD3-8A38F6BDCA9\(last)"))
  }

  private func printed(
    _ debug: (Reducer<TodosState, TodosAction, DebugEnvironment>)
      -> Reducer<TodosState, TodosAction, DebugEnvironment>
  ) throws -> String {
    let output = LockIsolated("")
    let queue = DispatchQueue(label: "debug")
    let todos = try ["Milk", "Eggs", "Soap"].enumerated().map {
      try Todo(description: $1, id: Self.uuid($0))
    }
    let store = Store(
      initialState: TodosState(todos: IdentifiedArray(uniqueElements: todos)),
      reducer: debug(todosReducer),
      environment: DebugEnvironment(
        printer: { text in output.withValue { $0 += text } },
        queue: queue,
      ),
    )
    ViewStore(store).send(.todoCheckboxTapped(id: try Self.uuid(0)))
    queue.sync {}
    return output.value
  }

  @Test("It prints the action and the resulting difference, as the document shows")
  func difference() throws {
    let text = try printed { $0.debug { $0 } }
    #expect(
      text == """
        received action:
          TodosAction.todoCheckboxTapped(id: UUID(5834811A-83B4-4E5E-BCD3-8A38F6BDCA90))
          TodosState(
            todos: [
              [0]: Todo(
        -       isComplete: false,
        +       isComplete: true,
                description: "Milk",
                id: UUID(5834811A-83B4-4E5E-BCD3-8A38F6BDCA90)
              ),
              … (2 unchanged)
            ]
          )

        """
    )
  }

  @Test("It can print only the names of the action's cases, without the state")
  func labels() throws {
    let text = try printed { $0.debugActions("todos", actionFormat: .labelsOnly) { $0 } }
    #expect(text == "todos: received action:\n  TodosAction.todoCheckboxTapped\n")
  }
}
