import StoreActorSimplex
import Testing

@MainActor
@Suite("Simplex", .timeLimit(.minutes(1)))
struct SimplexSampleTests {
  @Test("The counter counts, in its view and in a test")
  func testReducer() async {
    let view = MyView()
    #expect(Screen(of: view).lines == ["0", "[+]", "[-]"])
    Screen(of: view).tap("+")
    Screen(of: view).tap("+")
    Screen(of: view).tap("-")
    #expect(Screen(of: view).lines == ["1", "[+]", "[-]"])

    let store = MyView().testStore(viewState: .init())
    await store.send(.increment) {
      $0.counter = 1
    }
    await store.send(.decrement) {
      $0.counter = 0
    }
  }

  @Test("A login's response is an action that no view can send")
  func login() async {
    let store = LoginView().testStore(viewState: .init(email: "blob@example.com")) {
      $0.authClient.login = { email, _ in Response(token: email) }
    }
    await store.send(.login)
    await store.receive(.loginResponse(.success(Response(token: "blob@example.com")))) {
      $0.message = "Logged in: blob@example.com"
    }
  }

  @Test("The reducer sees the text that is typed into a view")
  func binding() async {
    await withMainSerialExecutor {
      let view = LoginView()
      view.email = "blob@example.com"
      #expect(Screen(of: view).lines.first == "E-mail: blob@example.com")
      await view.send(.login).wait()
      #expect(Screen(of: view).lines.last == "Could not log in")
    }
  }

  @Test("The reducer's own state counts calls invisibly")
  func calls() async {
    let view = CallCountingView()
    for _ in 1...12 { Screen(of: view).tap("+") }
    #expect(Screen(of: view).lines == ["9 [+]"])

    let store = CallCountingView().testStore(viewState: .init(counter: 5))
    await store.send(.decrement) {
      $0.counter = 4
      $0.reducerState.totalCalledCount = 1
    }
  }

  @Test("A child's actions reach its parent")
  func parent() {
    let view = ParentView()
    Screen(of: view).tap("Tap")
    Screen(of: view).tap("Tap")
    #expect(Screen(of: view).lines == ["2 taps", "[Tap]"])
  }

  @Test("The actions of several children reach their parent with their ids")
  func list() {
    let view = ListView()
    Screen(of: view).tap("Row 3")
    Screen(of: view).tap("Row 1")
    #expect(Screen(of: view).lines.first == "[3, 1]")
  }

  @Test("A test receives actions by the key paths of their cases")
  func fetching() async {
    let store = DataView().testStore(viewState: .init()) {
      $0.apiClient.fetchData = { ["\($0)"] }
    }
    await store.send(.fetchData)
    await store.receive(\.fetchDataResponse.success) {
      $0.data = ["1"]
    }
    await store.send(.fetchData)
    await store.waitForAll()
    await store.receiveWithoutStateCheck(\.fetchDataResponse)
  }

  @Test("A debounced effect waits for its clock, and can be cancelled")
  func debouncing() async {
    let clock = TestClock()
    let store = DataView().testStore(viewState: .init()) {
      $0.apiClient.fetchData = { ["\($0)"] }
      $0.continuousClock = clock
    }
    await store.send(.fetchSlowly)
    let task = await store.send(.fetchSlowly)
    await clock.advance(by: .seconds(1))
    await store.receive(\.fetchData)
    await store.receive(\.fetchDataResponse.success) {
      $0.data = ["1"]
    }
    await task.wait()
    let cancelled = await store.send(.fetchSlowly)
    cancelled.cancel()
    await cancelled.wait()
  }
}
