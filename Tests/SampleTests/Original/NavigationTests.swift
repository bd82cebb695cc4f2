import StoreActor
import Testing

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct NavigationTests {
  let clock = TestClock()

  private func library(_ state: Library.State = Library.State()) -> TestStoreOf<Library> {
    TestStore(initialState: state) {
      Library()
    } withDependencies: {
      $0.continuousClock = clock
    }
  }

  @Test func destination() async {
    let store = library()
    await store.send(.addButtonTapped) { $0.destination = .add(Editor.State(id: 0)) }
    await store.send(\.destination.add.task) {
      $0.destination?.modify(\.add) { $0.isPresented = true }
    }
    await store.send(\.destination.add.binding.text, "Emma") {
      $0.destination?.modify(\.add) { $0.text = "Emma" }
    }
    await store.send(\.destination.add.closeButtonTapped) {
      $0.books = [Editor.State(id: 0, text: "Emma", isPresented: true)]
    }
    await store.receive(\.destination.dismiss) { $0.destination = nil }
  }

  @Test func dialog() async {
    let store = library(
      Library.State(books: [Editor.State(id: 0, text: "b"), Editor.State(id: 1, text: "a")])
    )
    await store.send(.moreButtonTapped) {
      $0.destination = .dialog(
        ConfirmationDialogState(titleVisibility: .visible) {
          TextState("More")
        } actions: {
          ButtonState(action: .sort) { TextState("Sort") }
          ButtonState(role: .destructive, action: .clear) { TextState("Clear") }
        }
      )
    }
    await store.send(\.destination.dialog.sort) {
      $0.destination = nil
      $0.books = [Editor.State(id: 1, text: "a"), Editor.State(id: 0, text: "b")]
    }
  }

  @Test func plainDestination() async {
    let store = library(Library.State(destination: .position(x: 1, y: 2)))
    #expect(store.state.destination?.is(\.position) == true)
    await store.send(\.destination.dismiss) { $0.destination = nil }
  }

  @Test func sheet() async {
    let store = library(Library.State(sheet: Editor.State(id: 1)))
    await store.send(\.sheet.deleteButtonTapped) { $0.sheet?.alert = .deletion }
    await store.send(\.sheet.alert.confirmDeletion) { $0.sheet?.alert = nil }
    await store.receive(\.sheet.delegate.delete, 1)
    await store.receive(\.sheet.dismiss) { $0.sheet = nil }
  }

  @Test func panel() async {
    let store = library(Library.State(panel: Editor.State(id: 1)))
    store.exhaustivity = .off
    await store.send(.panel(.binding(.set(\.text, "Emma"))))
    store.assert { $0.panel?.text = "Emma" }
    await store.send(.panel(.task))
    await store.skipInFlightEffects()
  }

  @Test func stack() async {
    let store = library(Library.State(books: [Editor.State(id: 7)]))
    await store.send(.tapped(id: 7)) { $0.path[id: 0] = .editor(Editor.State(id: 7)) }
    await store.send(\.path[id: 0].editor.deleteButtonTapped) {
      $0.path[id: 0, case: \.editor]?.alert = .deletion
    }
    await store.send(\.path[id: 0].editor.alert.confirmDeletion) {
      $0.path[id: 0, case: \.editor]?.alert = nil
    }
    await store.receive(\.path[id: 0].editor.delegate.delete) { $0.books = [] }
    await store.receive(\.path.popFrom) { $0.path.removeAll() }
    await store.send(\.path.push, (id: 1, state: .shelf(Shelf.State(number: 3)))) {
      $0.path[id: 1] = .shelf(Shelf.State(number: 3))
    }
    await store.send(.path(.element(id: 1, action: .shelf(.openButtonTapped)))) {
      $0.path.append(.editor(Editor.State(id: 3)))
    }
    await store.send(\.path.popFrom, 1) { $0.path = StackState() }
  }

  @Test func rows() async {
    let store = library(Library.State(books: [Editor.State(id: 1), Editor.State(id: 2)]))
    await store.send(\.books[id: 2].binding.text, "Emma") { $0.books[id: 2]?.text = "Emma" }
  }

  @Test func enumState() async {
    let store = TestStore(initialState: Root.State.login(Editor.State(id: 1))) {
      Root()
    } withDependencies: {
      $0.dismiss = DismissEffect {}
    }
    await store.send(\.login.binding.text, "Ann") { $0.modify(\.login) { $0.text = "Ann" } }
    await store.send(\.login.closeButtonTapped) { $0 = .library(Library.State()) }
    await store.send(\.library.addButtonTapped) {
      $0.modify(\.library) { $0.destination = .add(Editor.State(id: 0)) }
    }
  }

  @Test func root() async {
    let store = TestStore(initialState: Editor.State(id: 1)) { Editor() }
    await store.send(.closeButtonTapped)
    #expect(store.isDismissed)
  }
}
