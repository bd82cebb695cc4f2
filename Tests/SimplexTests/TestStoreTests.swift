import StoreActorSimplex
import Testing

@Reducer
private struct Feature {
  enum ViewAction: Equatable {
    case increment
    case load
    case both
    case ordered
    case forever
    case stop
    case refuse
  }

  enum ReducerAction: Equatable {
    case loaded(Int)
  }

  struct ReducerState {
    var calls = 0
  }

  func reduce(into state: StateContainer<FeatureView>, action: Action) -> SideEffect<Self> {
    state.reducerState.calls += 1
    switch action {
    case .increment:
      state.count += 1
      return .none
    case .load:
      return .run { send in await send(.loaded(5)) }
    case .both:
      return .concurrent(.increment, .increment)
    case .ordered:
      return .serial(.run { send in await send(.loaded(1)) }, .send(.increment))
    case .forever:
      return SideEffect.run { _ in try await Task.never() }.cancellable(id: "forever")
    case .stop:
      return .cancel(id: "forever")
    case .refuse: return .refuse("Not now.", code: "later")
    case .loaded(let count):
      state.count = count
      return .none
    }
  }
}

@ViewState
private struct FeatureView: View {
  @State var count = 0
  @State var text = "a"

  let store: Store<Feature> = Store(reducer: Feature(), initialReducerState: .init())

  var body: some View {
    Text("\(text)\(count)")
  }
}

@MainActor
@Suite("Simplex's test store", .timeLimit(.minutes(1)))
struct SimplexTestStoreTests {
  private func store() -> TestStore<Feature> {
    FeatureView().testStore(viewState: .init())
  }

  @Test("A refused action leaves the reducer's state as it was, and its sender receives the reason")
  func refusal() async {
    let store = store()
    await store.send(.refuse, refused: "Not now.")
    await store.send(.increment) {
      $0.count = 1
      $0.reducerState.calls = 1
    }
    await expectReport(#"The action was refused: "Not now.""#) { await store.send(.refuse) }
    await expectReport(#"Expected a refusal: "Now.""#, #"refused: "Not now.""#) {
      await store.send(.refuse, refused: "Now.")
    }
    let view = FeatureView()
    let failure = await #expect(throws: ActionFailure.self) {
      try await view.send(.refuse).applied()
    }
    #expect(failure?.refusal?.code == "later")
  }

  private func expectReport(
    _ texts: String...,
    from body: @MainActor () async -> Void,
  ) async {
    await withKnownIssue {
      await body()
    } matching: { issue in
      texts.allSatisfy { issue.description.contains($0) }
    }
  }

  @Test("It begins with the state that it is given")
  func initialState() async {
    let store = FeatureView().testStore(viewState: .init(count: 41, text: "b"))
    await store.send(.increment) {
      $0.count = 42
      $0.reducerState.calls = 1
    }
  }

  @Test("A change that is not stated is reported with the difference, of the reducer's state too")
  func unstated() async {
    let store = store()
    await expectReport("A state change does not match", "count: 0", "count: 1") {
      await store.send(.increment) { $0.reducerState.calls = 1 }
    }
    await expectReport("A state change does not match", "calls: 2") {
      await store.send(.increment) { $0.count = 2 }
    }
  }

  @Test("Actions of effects are received in order")
  func order() async {
    let store = store()
    await store.send(.ordered) { $0.reducerState.calls = 1 }
    await store.receive(.loaded(1)) {
      $0.count = 1
      $0.reducerState.calls = 2
    }
    await store.receive(\.increment) {
      $0.count = 2
      $0.reducerState.calls = 3
    }
    await store.send(.both) { $0.reducerState.calls = 4 }
    await store.receiveWithoutStateCheck(.increment)
    await store.receiveWithoutStateCheck(.increment)
    await store.waitForAll()
  }

  @Test("An action that was not received is reported at the end")
  func unreceived() async {
    await expectReport("The store received 1 unexpected action", "loaded(5)") {
      let store = self.store()
      await store.send(.load) { $0.reducerState.calls = 1 }
      await store.waitForAll()
    }
  }

  @Test("Another action than the expected one is reported, and so is none")
  func unexpected() async {
    let store = store()
    await store.send(.load) { $0.reducerState.calls = 1 }
    await expectReport("but received another action", "loaded(5)") {
      await store.receiveWithoutStateCheck(.loaded(6))
    }
    await expectReport("but received nothing within 0.0 seconds") {
      await store.receive(.loaded(7), timeout: 0)
    }
  }

  @Test("An effect is cancelled by its id")
  func cancelling() async {
    let store = store()
    let task = await store.send(.forever) { $0.reducerState.calls = 1 }
    await store.send(.stop) { $0.reducerState.calls = 2 }
    await task.wait()
  }

  @Test("The view's own state is what a reducer reads")
  func ownState() {
    let view = FeatureView()
    view.count = 10
    view.send(.increment)
    #expect(view.count == 11)
    #expect(view.text == "a")
  }
}

@MainActor
@Suite("Simplex's store", .timeLimit(.minutes(1)))
struct SimplexStoreTests {
  @Test("A store goes with its view once its actions' effects have ended")
  func lifetime() async {
    weak var gone: Store<Feature>?
    do {
      let view = FeatureView()
      gone = view.store
      view.send(.increment)
      let task = view.send(.load)
      await task.wait()
      #expect(view.count == 5)
    }
    for _ in 0..<1_000 where gone != nil { await Task.yield() }
    #expect(gone == nil)
  }

  @Test("Effects that run keep their view, whose state they change")
  func running() async {
    let task: SendTask
    let count: Binding<Int>
    do {
      let view = FeatureView()
      count = view.$count
      task = view.send(.load)
    }
    await task.wait()
    #expect(count.wrappedValue == 5)
  }
}
