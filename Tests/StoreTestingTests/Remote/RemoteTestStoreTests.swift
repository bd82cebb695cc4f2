import StoreActor
import StoreTesting
import Testing

/// The process of the feature under test.
enum Place: CaseIterable {
  case here
  case daemon
}

@Suite("One test serves a feature here and in a daemon", .timeLimit(.minutes(1)))
@MainActor
struct BothPlacesTests {
  private let clock = TestClock()

  private func store(in place: Place) -> TestStoreOf<Kettle> {
    let prepare = { (values: inout DependencyValues) in
      values.continuousClock = clock
      values.thermometer = Thermometer { 60 }
    }
    return switch place {
    case .here:
      TestStore(initialState: Kettle.State(), reducer: { Quiet() }, withDependencies: prepare)
    case .daemon:
      TestStore(remote: Kettle.State(), reducer: { Quiet() }, withDependencies: prepare)
    }
  }

  @Test("Sent actions change the state", arguments: Place.allCases)
  func send(place: Place) async {
    let store = store(in: place)
    await store.send(.labelChanged("tea")) { $0.label = "tea" }
    await store.send(\.labelChanged, "coffee") { $0.label = "coffee" }
    await store.send(\.labelChanged, "coffee")
    #expect(store.state.label == "coffee")
  }

  @Test("A refusal is asserted, and has its code and its value", arguments: Place.allCases)
  func refuse(place: Place) async {
    let store = store(in: place)
    await store.send(.labelChanged(""), refused: "A label has letters.")
    await store.send(\.labelChanged, "", refused: "A label has letters.", code: "empty")
    await store.send(.labelChanged("tea")) { $0.label = "tea" }
    let issue = #"The action was refused: "A label has letters.""#
    await withKnownIssue {
      await store.send(.labelChanged(""))
    } matching: {
      $0.description.contains(issue)
    }
  }

  @Test("The refused action of an effect is received", arguments: Place.allCases)
  func refuseEffect(place: Place) async {
    let store = store(in: place)
    store.dependencies.thermometer = Thermometer { -300 }
    await store.send(.measureButtonTapped)
    await store.receive(\.measured, refused: "No temperature is so low.")
    await store.send(.labelChanged("tea")) { $0.label = "tea" }
  }

  @Test("A change too large to be published is seen like others", arguments: Place.allCases)
  func sendLarge(place: Place) async {
    let store = store(in: place)
    for bytes in [100_000, 900_000, 3] {
      let label = String(repeating: "x", count: bytes)
      await store.send(.labelChanged(label)) { $0.label = label }
    }
  }

  @Test("Actions of effects are received", arguments: Place.allCases)
  func receive(place: Place) async {
    let store = store(in: place)
    await store.send(.measureButtonTapped)
    await store.receive(.measured(60)) { $0.temperature = 60 }
    await store.send(.measureButtonTapped)
    await store.receive(\.measured)
    await store.send(.measureButtonTapped)
    await store.receive(\.measured, 60)
    await store.send(.measureButtonTapped)
    await store.receive { if case .measured = $0 { true } else { false } }
  }

  @Test("Actions that are sent at once are received one by one", arguments: Place.allCases)
  func atOnce(place: Place) async {
    let store = store(in: place)
    await store.send(.twiceButtonTapped)
    await store.receive(\.ticked) { $0.temperature = 21 }
    await store.receive(\.ticked) { $0.temperature = 22 }
  }

  @Test("A clock that a test advances drives the effects", arguments: Place.allCases)
  func timer(place: Place) async {
    let store = store(in: place)
    let task = await store.send(.switchTapped) { $0.isOn = true }
    await clock.advance(by: .seconds(2))
    await store.receive(\.ticked) { $0.temperature = 21 }
    await store.receive(\.ticked) { $0.temperature = 22 }
    await task.cancel()
    #expect(task.isCancelled)
    await store.send(.switchTapped) { $0.isOn = false }
  }

  @Test("An effect that is cancelled by its id has ended", arguments: Place.allCases)
  func cancellation(place: Place) async {
    let store = store(in: place)
    let task = await store.send(.switchTapped) { $0.isOn = true }
    await store.send(.switchTapped) { $0.isOn = false }
    await task.finish()
    await store.finish()
  }

  @Test("The test waits for effects", arguments: Place.allCases)
  func finish(place: Place) async {
    let store = store(in: place)
    let task = await store.send(.measureButtonTapped)
    await task.finish()
    await store.receive(\.measured) { $0.temperature = 60 }
    await store.send(.measureButtonTapped).finish()
    await store.skipReceivedActions()
    await store.finish()
    store.assert { $0.temperature = 60 }
  }

  @Test("A test may assert a part only", arguments: Place.allCases)
  func notExhaustive(place: Place) async {
    let store = store(in: place)
    store.exhaustivity = .off
    await store.send(.switchTapped)
    await clock.advance(by: .seconds(3))
    await store.send(.measureButtonTapped)
    await store.receive(\.measured) { $0.temperature = 60 }
    await store.skipInFlightEffects()
  }

  @Test("Dependencies can be changed in the course of a test", arguments: Place.allCases)
  func dependencies(place: Place) async {
    let store = store(in: place)
    store.dependencies.thermometer = Thermometer { 70 }
    await store.send(.measureButtonTapped)
    await store.receive(\.measured) { $0.temperature = 70 }
    await store.withDependencies {
      $0.thermometer = Thermometer { 80 }
    } operation: {
      await store.send(.measureButtonTapped)
      await store.receive(\.measured) { $0.temperature = 80 }
    }
  }

  @Test("An unasserted change or action is reported", arguments: Place.allCases)
  func failures(place: Place) async {
    let store = store(in: place)
    await expectIssue("State was not expected to change, but a change occurred", "tea") {
      await store.send(.labelChanged("tea"))
    }
    await expectIssue("A state change does not match expectation", "−   label: \"milk\"") {
      await store.send(.labelChanged("water")) { $0.label = "milk" }
    }
    await expectIssue("Expected state to change, but no change occurred.") {
      await store.send(.labelChanged("water")) { _ in }
    }
    await store.send(.twiceButtonTapped)
    await expectIssue("Must handle 2 received actions before sending an action") {
      await store.send(.labelChanged("water")) { $0.temperature = 22 }
    }
    await store.skipReceivedActions()
  }

  @Test("Open effects and actions at the store's end are reported", arguments: Place.allCases)
  func theEnd(place: Place) async {
    await expectIssue("An effect returned for this action is still running.", "switchTapped") {
      let store = store(in: place)
      await store.send(.switchTapped) { $0.isOn = true }
    }
    await expectIssue("The store received 1 unexpected action by the end of the test", "measured") {
      let store = store(in: place)
      await store.send(.measureButtonTapped).finish()
    }
  }
}

/// A kettle whose private count stays at its default, so that both places show the same.
private struct Quiet: Reducer {
  var body: some Reducer<Kettle.State, Kettle.Action> {
    Kettle()
    Reduce { state, _ in
      state.ticks = 0
      return .none
    }
  }
}
