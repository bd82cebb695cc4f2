import StoreActorClassic
import TerminalViews
import Testing

@MainActor
@Suite("The number fact in its 0.3x form", .timeLimit(.minutes(1)))
struct NumberFactTests {
  @Test("The document's test passes as it stands")
  func documentTest() {
    let scheduler = DispatchQueue.test

    let store = TestStore(
      initialState: AppState(),
      reducer: appReducer,
      environment: AppEnvironment(
        mainQueue: scheduler.eraseToAnyScheduler(),
        numberFact: { number in Effect(value: "\(number) is a good number Brent") },
      ),
    )

    store.send(.incrementButtonTapped) {
      $0.count = 1
    }
    store.send(.decrementButtonTapped) {
      $0.count = 0
    }

    store.send(.numberFactButtonTapped)

    scheduler.advance()
    store.receive(.numberFactResponse(.success("0 is a good number Brent"))) {
      $0.numberFactAlert = "0 is a good number Brent"
    }

    store.send(.factAlertDismissed) {
      $0.numberFactAlert = nil
    }
  }

  @Test("An alert reports a fact that cannot be loaded")
  func failure() {
    let store = TestStore(
      initialState: AppState(),
      reducer: appReducer,
      environment: AppEnvironment(
        mainQueue: .immediate,
        numberFact: { _ in Effect(error: ApiError()) },
      ),
    )

    store.send(.numberFactButtonTapped)
    store.receive(.numberFactResponse(.failure(ApiError()))) {
      $0.numberFactAlert = "Could not load a number fact :("
    }
  }

  @Test("The view shows the count, and the fact in an alert that can be dismissed")
  func view() {
    let scheduler = DispatchQueue.test
    let appView = AppView(
      store: Store(
        initialState: AppState(),
        reducer: appReducer,
        environment: AppEnvironment(
          mainQueue: scheduler.eraseToAnyScheduler(),
          numberFact: { number in Effect(value: "\(number) is a good number Brent") },
        ),
      )
    )
    #expect(Screen(of: appView).lines == ["[−] 0 [+]", "[Number fact]"])

    Screen(of: appView).tap("+")
    Screen(of: appView).tap("+")
    Screen(of: appView).tap("−")
    Screen(of: appView).tap("Number fact")
    #expect(Screen(of: appView).lines == ["[−] 1 [+]", "[Number fact]"])

    scheduler.advance()
    #expect(
      Screen(of: appView).lines
        == ["[−] 1 [+]", "[Number fact]", "! 1 is a good number Brent", "[OK]"]
    )
    Screen(of: appView).tap("OK")
    #expect(Screen(of: appView).lines == ["[−] 1 [+]", "[Number fact]"])
  }

  @Test("The app's own store responds on the main queue")
  func live() async {
    let viewStore = ViewStore(
      Store(
        initialState: AppState(),
        reducer: appReducer,
        environment: AppEnvironment(
          mainQueue: .main,
          numberFact: { number in Effect(value: "\(number) is a good number Brent") },
        ),
      )
    )
    #expect(viewStore.numberFactAlert == nil)
    await viewStore.send(.numberFactButtonTapped).finish()
    #expect(viewStore.numberFactAlert == "0 is a good number Brent")
  }

  @Test("A higher-order reducer moves all effects of another one to a scheduler")
  func higherOrder() {
    let scheduler = DispatchQueue.test
    let store = TestStore(
      initialState: AppState(),
      reducer: appReducer.receive(on: scheduler),
      environment: AppEnvironment(
        mainQueue: .immediate,
        numberFact: { number in Effect(value: "\(number) is prime") },
      ),
    )

    store.send(.numberFactButtonTapped)
    scheduler.advance()
    store.receive(.numberFactResponse(.success("0 is prime"))) {
      $0.numberFactAlert = "0 is prime"
    }
  }
}
