import StoreActor
import StoredWorkspace
import Testing

@MainActor
@Suite struct TodoTests {
  @Test("A todo is completed, reopened and renamed")
  func editsARow() async {
    let store = TestStore(initialState: Todo.State(id: UUID(0), title: "Milk")) { Todo() }

    await store.send(.toggleButtonTapped) { $0.isCompleted = true }
    await store.send(.toggleButtonTapped) { $0.isCompleted = false }
    await store.send(.titleChanged(title: "Oat milk")) { $0.title = "Oat milk" }
  }

  @Test func `A title has room for 64 KiB, and is cut between two scalars`() async {
    let store = TestStore(initialState: Todo.State(id: UUID(0))) { Todo() }
    let fits = String(repeating: "é", count: 32_768)
    await store.send(.titleChanged(title: fits)) { $0.title = fits }
    let tooLong = "x" + String(repeating: "é", count: 40_000)
    await store.send(.titleChanged(title: tooLong)) {
      $0.title = "x" + String(repeating: "é", count: 32_767)
    }
    let character = "e" + String(repeating: "\u{301}", count: 1_000_000)
    await store.send(.titleChanged(title: character)) {
      $0.title = "e" + String(repeating: "\u{301}", count: 32_767)
    }
  }
}
