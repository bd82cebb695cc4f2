import StoreActor
import StoreTesting
import Testing

/// Tests of features at a restart of their daemon.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct RestartTests {
  private func store(_ isRemote: Bool, _ clock: TestClock<Duration>) -> TestStoreOf<Press> {
    isRemote
      ? TestStore(remote: Press.State()) {
        Press()
      } withDependencies: {
        prepare(&$0, clock)
      }
      : TestStore(initialState: Press.State()) {
        Press()
      } withDependencies: {
        prepare(&$0, clock)
      }
  }

  private func prepare(_ dependencies: inout DependencyValues, _ clock: TestClock<Duration>) {
    dependencies.continuousClock = clock
    dependencies.date.now = Date(timeIntervalSinceReferenceDate: 1_000)
  }

  @Test(arguments: [false, true])
  func `Interrupted work ends, and the feature is informed`(_ isRemote: Bool) async {
    let clock = TestClock()
    let store = store(isRemote, clock)
    await store.send(.printButtonTapped) { $0.isPrinting = true }
    await store.restart {
      $0.isPrinting = false
      $0.interruptions = 1
      $0.starts = 1
    }
    // The effect has ended.
    await clock.advance(by: .seconds(100))
    await store.finish()
  }

  @Test(arguments: [false, true])
  func `A test may name the interrupted effects itself`(_ isRemote: Bool) async {
    let clock = TestClock()
    let store = store(isRemote, clock)
    await store.send(.printButtonTapped) { $0.isPrinting = true }
    // As if it had ended just before.
    await store.restart(interrupted: []) {
      $0.isPrinting = false
      $0.starts = 1
    }
    let print = InterruptedEffect(name: "print", path: ["printButtonTapped"])
    await store.restart(interrupted: [print]) {
      $0.interruptions = 1
      $0.starts = 2
    }
    // Nothing runs any more.
    await store.restart { $0.starts = 3 }
    await store.send(.stopButtonTapped)
  }

  @Test(arguments: [false, true])
  func `Schedules go on, and the feature finds them`(_ isRemote: Bool) async {
    let clock = TestClock()
    let store = store(isRemote, clock)
    await store.restart { $0.starts = 1 }
    await store.restart(wasStopped: true) { $0.starts = 2 }
    await clock.advance(by: .seconds(60))
    await store.receive(\.pageDue) { $0.pages = 1 }
    await store.send(.stopButtonTapped)
  }

  @Test func `Changes that are not asserted fail, and so do effects that a start leaves behind`()
    async
  {
    let clock = TestClock()
    await withKnownIssue {
      let store = store(false, clock)
      await store.restart()
      await store.send(.stopButtonTapped)
    } matching: { issue in
      issue.description.contains("starts")
    }
    await withKnownIssue {
      let store = store(false, clock)
      await store.restart { $0.starts = 1 }
    } matching: { issue in
      issue.description.contains("a restart of the daemon")
    }
  }
}

@Reducer
private struct Press {
  @ObservableState
  struct State: DurableState, Equatable {
    @DurableIgnored var isPrinting = false
    var interruptions = 0
    var starts = 0
    var pages = 0
  }

  enum ViewAction: Equatable, WireAction {
    case printButtonTapped
    case stopButtonTapped
  }

  enum ReducerAction: DurableAction, Equatable {
    case pageDue
    case printed
  }

  @Dependency(\.continuousClock) private var clock

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .printButtonTapped:
        state.isPrinting = true
        return .run(name: "print") { [clock] send in
          try await clock.sleep(for: .seconds(50))
          await send(.printed)
        }
      case .stopButtonTapped: return .cancel(id: "page")
      case .pageDue: state.pages += 1
      case .printed: state.isPrinting = false
      }
      return .none
    }
    .onRestored { state, restoration in
      if restoration.interrupted("print") { state.interruptions += 1 }
      return .none
    }
    .onStart { state, start in
      state.starts += 1
      guard !start.interrupted("print") else { return .none }
      return start.hasSchedule("page")
        ? .none : .schedule(id: "page", every: .seconds(60), .pageDue)
    }
  }
}
