import StoreActor
import StoreExposures
import StoreState
import StoreTesting
import Testing

// The feature of README.md, word for word, and its test.

@Reducer
struct Stopwatch {
  @ObservableState
  struct State: Equatable, ReplicatedState, Sendable {
    var seconds = 0
  }

  enum ViewAction: Equatable, Sendable, WireAction {
    case startButtonTapped
    case stopButtonTapped
  }

  enum ReducerAction: Equatable, Sendable {
    case ticked
  }

  private enum CancelID { case ticks }

  @Dependency(\.continuousClock) private var clock

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .startButtonTapped:
        return .run { [clock] send in
          for await _ in clock.timer(interval: .seconds(1)) { await send(.ticked) }
        }
        .cancellable(id: CancelID.ticks, cancelInFlight: true)
      case .stopButtonTapped:
        return .cancel(id: CancelID.ticks)
      case .ticked:
        state.seconds += 1
        return .none
      }
    }
  }
}

/// The root of the README's daemon.
@Reducer
struct App {
  @ObservableState
  struct State: Equatable, Sendable {
    var stopwatch = Stopwatch.State()
  }

  enum Action: Sendable {
    case stopwatch(Stopwatch.Action)
  }

  var body: some ReducerOf<Self> {
    Scope(\.stopwatch, action: \.stopwatch) {
      Stopwatch()
    }
  }

  static let exposures: [Expose<State, Action>] = [
    Expose("stopwatch", state: \.stopwatch, action: \.stopwatch)
  ]
}

@Test("A stopwatch counts until it is stopped", arguments: [false, true]) @MainActor
func stopwatch(isRemote: Bool) async {
  let clock = TestClock()
  let prepare = { (values: inout DependencyValues) in values.continuousClock = clock }
  let state = Stopwatch.State()
  let store: TestStoreOf<Stopwatch> =
    if isRemote {
      TestStore(remote: state, reducer: { Stopwatch() }, withDependencies: prepare)
    } else {
      TestStore(initialState: state, reducer: { Stopwatch() }, withDependencies: prepare)
    }
  await store.send(.startButtonTapped)
  await clock.advance(by: .seconds(2))
  await store.receive(\.ticked) { $0.seconds = 1 }
  await store.receive(\.ticked) { $0.seconds = 2 }
  await store.send(.stopButtonTapped)
  await store.finish()
}

@Test("The README's stopwatch is exposed as one scope")
func stopwatchExposure() {
  #expect(App.exposures.map(\.name) == ["stopwatch"])
}
