import StoreActor
import Testing

/// Typical features and tests in their usual forms.
@Suite("Case studies", .timeLimit(.minutes(1)))
@MainActor
struct CaseStudyTests {
  @Test("A failed response shows an alert, whose button repeats the request")
  func cancellation() async {
    struct Failure: Error {}
    let store = TestStore(initialState: EffectsCancellation.State()) {
      EffectsCancellation()
    } withDependencies: {
      $0.factClient.fetch = { _ in throw Failure() }
    }
    await store.send(.factButtonTapped) { $0.isFactRequestInFlight = true }
    await store.receive(\.factResponse.failure) {
      $0.isFactRequestInFlight = false
      $0.alert = AlertState {
        TextState("No fact")
      } actions: {
        ButtonState(role: .cancel) { TextState("Cancel") }
        ButtonState(action: .tryAgain) { TextState("Try again") }
      }
    }
    store.dependencies.factClient.fetch = { "\($0) is a number" }
    await store.send(\.alert.tryAgain) { $0.alert = nil }
    await store.receive(\.factButtonTapped) { $0.isFactRequestInFlight = true }
    await store.receive(\.factResponse.success) {
      $0.isFactRequestInFlight = false
      $0.currentFact = "0 is a number"
    }
  }

  @Test("A request that was cancelled sends no response")
  func cancelledRequest() async {
    let store = TestStore(initialState: EffectsCancellation.State()) {
      EffectsCancellation()
    } withDependencies: {
      $0.factClient.fetch = { _ in try await Task.never() }
    }
    await store.send(.factButtonTapped) { $0.isFactRequestInFlight = true }
    await store.send(.cancelButtonTapped) { $0.isFactRequestInFlight = false }
  }

  @Test("An animated timer ticks until it is toggled")
  func timers() async {
    let clock = TestClock()
    let store = TestStore(initialState: Timers.State()) {
      Timers()
    } withDependencies: {
      $0.continuousClock = clock
    }
    await store.send(.toggleTimerButtonTapped) { $0.isTimerActive = true }
    await clock.advance(by: .seconds(2))
    await store.receive(\.timerTicked) { $0.secondsElapsed = 1 }
    await store.receive(\.timerTicked) { $0.secondsElapsed = 2 }
    await store.send(.toggleTimerButtonTapped) { $0.isTimerActive = false }
  }

  @Test("An animated sequence of actions keeps its pauses, and ends when it is cancelled")
  func animations() async {
    let clock = TestClock()
    let store = TestStore(initialState: Animations.State()) {
      Animations()
    } withDependencies: {
      $0.continuousClock = clock
    }
    await store.send(.rainbowButtonTapped)
    await store.receive(\.setColor) { $0.color = "blue" }
    await clock.advance(by: .seconds(1))
    await store.receive(\.setColor) { $0.color = "green" }
    store.exhaustivity = .off
    await store.send(.resetButtonTapped)
    await store.send(\.alert.resetConfirmationButtonTapped)
    store.exhaustivity = .on
    store.assert {
      $0.alert = nil
      $0.color = "red"
    }
  }

  @Test("A store sends actions with animations and transactions")
  func animatedStore() {
    let store = Store(initialState: Animations.State()) { Animations() }
    store.send(.setColor("blue"), animation: .default)
    #expect(store.color == "blue")
    store.send(.setColor("green"), transaction: Transaction(animation: .spring()))
    #expect(store.color == "green")
  }

  @Test("An endless effect ends when its task is cancelled")
  func longLiving() async {
    let (screenshots, takeScreenshot) = AsyncStream.makeStream(of: Void.self)
    let store = TestStore(initialState: LongLiving.State()) {
      LongLiving()
    } withDependencies: {
      $0.screenshots = { screenshots }
    }
    let task = await store.send(.task)
    takeScreenshot.yield()
    await store.receive(\.userDidTakeScreenshot) { $0.screenshotCount = 1 }
    await task.cancel()
  }

  @Test("Bindings set a form's fields, and their changes are observed")
  func bindings() async {
    let store = TestStore(initialState: BindingForm.State()) { BindingForm() }
    await store.send(\.binding.text, "Blob") {
      $0.text = "Blob"
      $0.edits = 1
    }
    await store.send(.set(\.stepCount, 2)) {
      $0.stepCount = 2
      $0.sliderValue = 2
    }
    await store.send(.resetButtonTapped) { $0 = BindingForm.State() }
  }

  @Test("A feature may contain features of its own type")
  func recursion() async {
    let store = TestStore(initialState: Nested.State(id: UUID(9))) {
      Nested()
    } withDependencies: {
      $0.uuid = .incrementing
    }
    await store.send(.addRowButtonTapped) { $0.rows = [Nested.State(id: UUID(0))] }
    await store.send(\.rows[id: UUID(0)].addRowButtonTapped) {
      $0.rows[id: UUID(0)]?.rows = [Nested.State(id: UUID(1))]
    }
    await store.send(\.rows[id: UUID(0)].rows[id: UUID(1)].nameTextFieldChanged, "Blob") {
      $0.rows[id: UUID(0)]?.rows[id: UUID(1)]?.name = "Blob"
    }
  }

  @Test("Each operator of a long body runs its own child")
  func navigation() async {
    let store = TestStore(initialState: EverythingNavigation.State()) {
      EverythingNavigation()
    } withDependencies: {
      $0.uuid = .incrementing
    }
    await store.send(.addButtonTapped) { $0.rows = [StudyCounter.State(id: UUID(0))] }
    await store.send(\.rows[id: UUID(0)].incrementButtonTapped) {
      $0.rows[id: UUID(0)]?.count = 1
      $0.total = 1
    }
    await store.send(.goToCounterButtonTapped) {
      $0.path[id: 0] = .counter(StudyCounter.State(id: UUID(1)))
    }
    await store.send(\.path[id: 0].counter.incrementButtonTapped) {
      $0.path[id: 0, case: \.counter]?.count = 1
      $0.total = 2
    }
    await store.send(\.path[id: 0].counter.closeButtonTapped)
    await store.receive(\.path.popFrom) { $0.path = StackState() }
    await store.send(.sheetButtonTapped) { $0.sheet = StudyCounter.State(id: UUID(2)) }
    await store.send(\.sheet.decrementButtonTapped) { $0.sheet?.count = -1 }
    await store.send(\.sheet.closeButtonTapped)
    await store.receive(\.sheet.dismiss) { $0.sheet = nil }
    await store.send(.toggleCounterButtonTapped) {
      $0.optionalCounter = StudyCounter.State(id: UUID(3))
    }
    await store.send(\.optionalCounter.incrementButtonTapped) { $0.optionalCounter?.count = 1 }
  }

  @Test("A dialog of a destination is dismissed after its action")
  func dialog() async {
    let store = TestStore(initialState: EverythingNavigation.State()) { EverythingNavigation() }
    store.exhaustivity = .off
    await store.send(.dialogButtonTapped)
    #expect(store.state.destination?.is(\.dialog) == true)
    await store.send(\.destination.dialog.increment) {
      $0.destination = nil
      $0.total = 1
    }
  }

  @Test("A child's action need not have case paths")
  func plainActions() async {
    let alert = AlertState<Bool> { TextState("Sure?") }
    let state = PlainParent.State(plain: 1, alert: alert, presented: 1, presentedAlert: alert)
    let store = TestStore(initialState: state) { PlainParent() }
    await store.send(.plain(true)) { $0.plain = 2 }
    await store.send(.presented(.presented(false))) { $0.presented = 0 }
    await store.send(.alert(true)) { $0.alert = nil }
    await store.send(.presentedAlert(.presented(true))) { $0.presentedAlert = nil }
  }
}
