import StoreActor
import TerminalViews
import Testing

@MainActor
@Suite("The number fact in its 1.x form", .timeLimit(.minutes(1)))
struct NumberFactTests {
  struct Offline: Error {}

  @Test("The document's test passes with case key paths")
  func basics() async {
    let store = TestStore(initialState: NumberFact.State()) {
      NumberFact()
    } withDependencies: {
      $0.numberFact.fetch = { "\($0) is a good number Brent" }
    }

    await store.send(\.incrementButtonTapped) {
      $0.count = 1
    }
    await store.send(\.decrementButtonTapped) {
      $0.count = 0
    }

    await store.send(\.numberFactButtonTapped)

    await store.receive(\.numberFactResponse.success) {
      $0.numberFactAlert = "0 is a good number Brent"
    }

    await store.send(\.factAlertDismissed) {
      $0.numberFactAlert = nil
    }
  }

  @Test("An alert reports a fact that cannot be loaded")
  func failure() async {
    let store = TestStore(initialState: NumberFact.State()) {
      NumberFact()
    } withDependencies: {
      $0.numberFact.fetch = { _ in throw Offline() }
    }

    await store.send(\.numberFactButtonTapped)
    await store.receive(\.numberFactResponse.failure) {
      $0.numberFactAlert = "Could not load a number fact :("
    }
  }

  @Test("The view shows the count and the fact")
  func view() async {
    let store = Store(initialState: NumberFact.State()) {
      NumberFact()
    } withDependencies: {
      $0.numberFact.fetch = { "\($0) is prime" }
    }
    let view = NumberFactView(store: store)
    Screen(of: view).tap("+")
    Screen(of: view).tap("+")
    await store.send(.numberFactButtonTapped).finish()
    #expect(
      Screen(of: view).lines == ["[−] 2 [+]", "[Number fact]", "! 2 is prime", "[OK]"]
    )
    Screen(of: view).tap("OK")
    #expect(Screen(of: view).lines == ["[−] 2 [+]", "[Number fact]"])
  }
}
