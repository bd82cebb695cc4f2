import StoreActor
import StoreTesting
import Testing

@MainActor
@Suite("The core idea of other architectures, here and in a daemon", .timeLimit(.minutes(1)))
struct ArchitectureTests {
  @Test("Mobius: the loop's function is tested alone, its effects are values")
  func mobiusUpdate() {
    var state = Search.State()
    #expect(Search.update(&state, .queryChanged("milk")) == [.search("milk")])
    #expect(state.query == "milk")
    #expect(Search.update(&state, .found(["Milk"])).isEmpty)
    #expect(state.hits == ["Milk"])
  }

  @Test("Mobius: a handler performs the effects, and its results are events")
  func mobiusLoop() async {
    let store = TestStore(remote: Search.State()) { Search() }
    await store.send(.queryChanged("milk")) { $0.query = "milk" }
    await store.receive(.found(["milk 1", "milk 2"])) { $0.hits = ["milk 1", "milk 2"] }
    await store.finish()
  }

  @Test("Workflow: a screen shows a rendering, and the parent handles its child's output")
  func workflowRendering() throws {
    let store = Store(initialState: Welcome.State()) { Welcome() }
    guard case .asking("", let change, let done) = WelcomeRendering(store) else {
      Issue.record("No name was asked for.")
      return
    }
    change("Blob")
    done()
    guard case .greeting("Hello, Blob", let again) = WelcomeRendering(store) else {
      Issue.record("No greeting was sent.")
      return
    }
    again()
    #expect(store.name == Name.State())
  }

  @Test("Workflow: parent and child in a daemon")
  func workflowRemote() async {
    let store = TestStore(remote: Welcome.State()) { Welcome() }
    await store.send(.name(.presented(.textChanged("Blob")))) { $0.name?.text = "Blob" }
    await store.send(.name(.presented(.doneButtonTapped))) {
      $0.name = nil
      $0.greeting = "Hello, Blob"
    }
    await store.finish()
  }

  @Test("ReactorKit: actions become mutations, and external mutations join them")
  func reactorKit() async {
    let (users, continuation) = AsyncStream.makeStream(of: String?.self)
    let store = TestStore(remote: Profile.State()) {
      Profile()
    } withDependencies: {
      $0[Session.self] = Session(users: { users }, follow: { _ in false })
    }
    await store.send(.appeared)
    continuation.yield("Blob")
    await store.receive(.setUser("Blob")) { $0.user = "Blob" }
    await store.send(.followButtonTapped)
    await store.receive(.setFollowing(true)) { $0.isFollowing = true }
    await store.receive(.setFollowing(false)) { $0.isFollowing = false }
    continuation.finish()
    await store.finish()
  }

  @Test("ReactiveFeedback: effects follow the state, after any action that changes it")
  func feedback() async {
    let clock = TestClock()
    let store = TestStore(remote: Download.State()) {
      Download()
    } withDependencies: {
      $0.continuousClock = clock
    }
    await store.send(.pageChosen(1)) { $0.page = 1 }
    await store.send(.pageChosen(2)) { $0.page = 2 }
    await clock.advance(by: .seconds(1))
    await store.receive(.loaded(["page 2"])) {
      $0.page = nil
      $0.lines = ["page 2"]
    }
    await store.send(.pageChosen(3)) { $0.page = 3 }
    await store.send(.stopButtonTapped) { $0.page = nil }
    await store.finish()
  }

  @Test("Mavericks: the state has the progress of loading")
  func mavericks() async {
    struct Offline: Error {}
    let store = TestStore(remote: Weather.State()) { Weather() }
    await store.send(.refreshButtonTapped) { $0.forecast = .loading }
    await store.receive(.forecast(.success("Sunny"))) { $0.forecast = .success("Sunny") }
    await store.finish()

    let offline = TestStore(remote: Weather.State()) {
      Weather()
    } withDependencies: {
      $0[WeatherClient.self].forecast = { throw Offline() }
    }
    await offline.send(.refreshButtonTapped) { $0.forecast = .loading }
    await offline.receive(.forecast(.failure("Offline()"))) { $0.forecast = .failure("Offline()") }
    await offline.finish()
  }
}
