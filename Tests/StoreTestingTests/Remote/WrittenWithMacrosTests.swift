import StoreActor
import StoreTesting
import Testing

@Suite("A feature that is written with macros", .timeLimit(.minutes(1)))
@MainActor
struct WrittenWithMacrosTests {
  @Test("passes one test here and in a daemon", arguments: Place.allCases)
  func counter(place: Place) async {
    let prepare = { (values: inout DependencyValues) in
      values.thermometer = Thermometer { 42 }
    }
    let store: TestStoreOf<Tally> =
      switch place {
      case .here:
        TestStore(initialState: Tally.State(), reducer: { Tally() }, withDependencies: prepare)
      case .daemon:
        TestStore(remote: Tally.State(), reducer: { Tally() }, withDependencies: prepare)
      }
    await store.send(.incrementButtonTapped) { $0.count = 1 }
    await store.send(\.noteChanged, "one") { $0.note = "one" }
    await store.send(.measureButtonTapped)
    await store.receive(\.measured, 42) { $0.count = 42 }
  }

  @Test("keeps its private actions to the daemon")
  func privateAction() async {
    let store = TestStore(remote: Tally.State()) { Tally() }
    await expectIssue("The action was not applied", "A client cannot send it") {
      await store.send(.measured(3))
    }
  }
}

@Reducer
struct Tally {
  @ObservableState
  struct State: Equatable, ReplicatedState {
    var count = 0
    var note = ""
    @ReplicationIgnored var secret = 7
  }

  enum ViewAction: Equatable, WireAction {
    case incrementButtonTapped
    case noteChanged(String)
    case measureButtonTapped
  }

  enum ReducerAction: Equatable {
    case measured(Int)
  }

  @Dependency(\.thermometer) var thermometer

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .incrementButtonTapped:
        state.count += 1
        return .none
      case .noteChanged(let note):
        state.note = note
        return .none
      case .measureButtonTapped:
        return .run { send in await send(.measured(try await thermometer.read())) }
      case .measured(let count):
        state.count = count
        return .none
      }
    }
  }
}
