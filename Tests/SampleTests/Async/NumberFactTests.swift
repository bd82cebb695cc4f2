import StoreActorClassic
import TerminalViews
import Testing

@MainActor
@Suite("The number fact in its async form", .timeLimit(.minutes(1)))
struct NumberFactTests {
  @Test("The document's test passes as it stands")
  func testFeature() async {
    let store = TestStore(
      initialState: AppState(),
      reducer: appReducer,
      environment: AppEnvironment(
        numberFact: { "\($0) es un gran número Brent" }
      ),
    )

    await store.send(.incrementButtonTapped) {
      $0.count = 1
    }
    await store.send(.decrementButtonTapped) {
      $0.count = 0
    }

    await store.send(.numberFactButtonTapped)

    await store.receive(.numberFactResponse(.success("0 es un gran número Brent"))) {
      $0.numberFactAlert = "0 es un gran número Brent"
    }

    await store.send(.factAlertDismissed) {
      $0.numberFactAlert = nil
    }
  }

  @Test("An alert reports a fact that cannot be loaded")
  func failure() async {
    struct Offline: Error, Equatable {}
    let store = TestStore(
      initialState: AppState(),
      reducer: appReducer,
      environment: AppEnvironment(numberFact: { _ in throw Offline() }),
    )

    await store.send(.numberFactButtonTapped)
    await store.receive(.numberFactResponse(.failure(Offline()))) {
      $0.numberFactAlert = "No pudimos cargar una curiosidad para este número :("
    }
  }

  @Test("The view shows the fact after the work is done")
  func view() async {
    let store = Store(
      initialState: AppState(count: 7),
      reducer: appReducer,
      environment: AppEnvironment(numberFact: { "\($0) es un gran número Brent" }),
    )
    let viewStore = ViewStore(store)
    await viewStore.send(.numberFactButtonTapped).finish()
    #expect(
      Screen(of: AppView(store: store)).lines == [
        "[−] 7 [+]",
        "[Curiosidad del número]",
        "! 7 es un gran número Brent",
        "[OK]",
      ]
    )
  }
}
