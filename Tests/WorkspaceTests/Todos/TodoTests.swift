import StoreActor
import StoredWorkspace
import Testing

@MainActor
@Suite struct TodoTests {
  @Test("A todo is completed, taken up again and renamed")
  func editsARow() async {
    let store = TestStore(initialState: Todo.State(id: UUID(0), title: "Milk")) { Todo() }

    await store.send(.toggleButtonTapped) { $0.isCompleted = true }
    await store.send(.toggleButtonTapped) { $0.isCompleted = false }
    await store.send(.titleChanged(title: "Oat milk")) { $0.title = "Oat milk" }
  }
}
