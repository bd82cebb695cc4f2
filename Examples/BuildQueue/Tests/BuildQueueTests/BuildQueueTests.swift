import BuildQueue
import StoreActor
import StoreTesting
import Testing

@MainActor
@Suite(.serialized)
struct BuildQueueTests {
  @Test func `A change that is not asserted fails the test`() async {
    await withKnownIssue {
      let store = TestStore(initialState: BuildQueue.State()) { BuildQueue() }
      await store.send(.pauseButtonTapped)
    }
  }

  /// The same test in this process, and against a daemon in memory.
  @Test(arguments: [false, true])
  func `Builds are added, canceled and cleared`(isRemote: Bool) async {
    let store: TestStoreOf<BuildQueue> =
      if isRemote {
        TestStore(remote: BuildQueue.State(), replies: Int.self) { BuildQueue() }
      } else {
        TestStore(initialState: BuildQueue.State()) { BuildQueue() }
      }
    await store.send(.pauseButtonTapped) { $0.isPaused = true }
    await store.send(.addButtonTapped(branch: "main"), replied: 1) {
      $0.builds = [Build(id: 1, branch: "main")]
      $0.nextNumber = 2
    }
    await store.send(
      .addButtonTapped(branch: ""),
      refused: "A branch has 1 to 100 characters.",
      code: "branch",
    )
    await store.send(.cancelButtonTapped(number: 7), refused: "There is no build #7.")
    await store.send(.cancelButtonTapped(number: 1)) {
      $0.builds[id: 1]?.status = .canceled
    }
    await store.send(.cancelButtonTapped(number: 1), refused: "Build #1 has ended: canceled.")
    await store.send(.clearButtonTapped) { $0.builds = [] }
    await store.finish()
  }

  /// Performs builds until the test ends or cancels them: each takes a second.
  private func prepare(_ values: inout DependencyValues, _ clock: TestClock<Duration>) {
    values.builder = Builder { build in
      try? await clock.sleep(for: .seconds(1))
      return build.branch != "broken"
    }
  }

  private func store(
    _ isRemote: Bool,
    _ clock: TestClock<Duration>,
    _ branches: String...,
  ) -> TestStoreOf<BuildQueue> {
    var state = BuildQueue.State()
    state.isPaused = true
    for branch in branches {
      state.builds.append(Build(id: state.nextNumber, branch: branch))
      state.nextNumber += 1
    }
    return isRemote
      ? TestStore(remote: state) {
        BuildQueue()
      } withDependencies: {
        prepare(&$0, clock)
      }
      : TestStore(initialState: state) {
        BuildQueue()
      } withDependencies: {
        prepare(&$0, clock)
      }
  }

  @Test(arguments: [false, true])
  func `Builds run one at a time, in order`(isRemote: Bool) async {
    let clock = TestClock()
    let store = store(isRemote, clock, "main", "broken")
    await store.send(.resumeButtonTapped) {
      $0.isPaused = false
      $0.builds[id: 1]?.status = .building
    }
    await clock.advance(by: .seconds(1))
    await store.receive(.ended(number: 1, hasPassed: true)) {
      $0.builds[id: 1]?.status = .passed
      $0.builds[id: 2]?.status = .building
    }
    await clock.advance(by: .seconds(1))
    await store.receive(.ended(number: 2, hasPassed: false)) {
      $0.builds[id: 2]?.status = .failed
    }
  }

  @Test(arguments: [false, true])
  func `A canceled build ends, and the next one begins`(isRemote: Bool) async {
    let clock = TestClock()
    let store = store(isRemote, clock, "main", "next")
    await store.send(.resumeButtonTapped) {
      $0.isPaused = false
      $0.builds[id: 1]?.status = .building
    }
    await clock.advance(by: .milliseconds(500))
    await store.send(.cancelButtonTapped(number: 1)) {
      $0.builds[id: 1]?.status = .canceled
      $0.builds[id: 2]?.status = .building
    }
    await clock.advance(by: .milliseconds(500))
    await clock.advance(by: .milliseconds(500))
    await store.receive(.ended(number: 2, hasPassed: true)) {
      $0.builds[id: 2]?.status = .passed
    }
  }

  @Test(arguments: [false, true])
  func `A build that a restart has interrupted begins again`(isRemote: Bool) async {
    let clock = TestClock()
    let store = store(isRemote, clock, "main")
    await store.send(.resumeButtonTapped) {
      $0.isPaused = false
      $0.builds[id: 1]?.status = .building
    }
    await store.restart()
    await clock.advance(by: .seconds(1))
    await store.receive(.ended(number: 1, hasPassed: true)) {
      $0.builds[id: 1]?.status = .passed
    }
  }
}
