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
    await store.send(.pauseButtonTapped) { $0.isPaused = true }
    await store.send(.clearButtonTapped) { $0.builds = [] }
    await store.finish()
  }

  @Test func `A build that was canceled does not pass afterwards`() async {
    var state = BuildQueue.State()
    state.builds = [Build(id: 1, branch: "main")]
    let store = TestStore(initialState: state) { BuildQueue() }
    await store.send(.began(number: 1)) { $0.builds[id: 1]?.status = .building }
    await store.send(.cancelButtonTapped(number: 1)) { $0.builds[id: 1]?.status = .canceled }
    await store.send(.ended(number: 1, hasPassed: true))
  }

  @Test func `The worker builds one at a time, in order, and stops what is canceled`() async {
    let store = Store(initialState: BuildQueue.State()) { BuildQueue() }
    let (begun, beginning) = AsyncStream.makeStream(of: Build.self)
    let (canceled, canceling) = AsyncStream.makeStream(of: Int.self)
    let worker = Task {
      await work(on: store) { build in
        beginning.yield(build)
        guard build.branch == "endless" else { return build.branch != "broken" }
        // Until it is canceled.
        for await _ in AsyncStream<Never>.makeStream().stream {}
        canceling.yield(build.id)
        return true
      }
    }
    for branch in ["main", "broken", "endless", "last"] {
      store.send(.addButtonTapped(branch: branch))
    }
    var builds = begun.makeAsyncIterator()
    #expect(await builds.next()?.branch == "main")
    #expect(await builds.next()?.branch == "broken")
    #expect(await builds.next()?.branch == "endless")
    #expect(store.builds.map(\.status) == [.passed, .failed, .building, .waiting])
    store.send(.cancelButtonTapped(number: 3))
    var ends = canceled.makeAsyncIterator()
    #expect(await ends.next() == 3)
    #expect(await builds.next()?.branch == "last")
    for await state in AsyncStream(statesOf: store) where state.builds.allSatisfy(\.isOver) {
      break
    }
    #expect(store.builds.map(\.status) == [.passed, .failed, .canceled, .passed])
    worker.cancel()
    await worker.value
  }
}
