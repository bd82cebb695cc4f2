import PrintFarm
import StoreActor
import StoreTesting
import Testing

/// Tests of the farm in this process, and with a daemon in memory.
@MainActor
@Suite(.serialized)
struct FarmTests {
  private let clock = TestClock()

  /// A farm with one printer, on which a layer takes a second.
  private func store(_ isRemote: Bool, jamsIn jam: Int? = nil) -> TestStoreOf<Farm> {
    let jams = LockIsolated(Set([jam].compactMap(\.self)))
    let prepare = { [clock] (values: inout DependencyValues) in
      values.continuousClock = clock
      // An hour before midnight.
      values.date.now = Date(timeIntervalSinceReferenceDate: 23 * 3600)
      values.hardware = Hardware { layer, _ in
        try await clock.sleep(for: .seconds(1))
        if jams.withValue({ $0.remove(layer) }) != nil { throw Jam() }
      }
    }
    let state = Farm.State(printers: 1)
    return isRemote
      ? TestStore(
        remote: state,
        replies: Int.self,
        reducer: { Farm() },
        withDependencies: prepare,
      )
      : TestStore(initialState: state, reducer: { Farm() }, withDependencies: prepare)
  }

  /// Adds the first job, and asserts that it begins.
  private func add(_ layers: Int, to store: TestStoreOf<Farm>) async {
    await store.send(.addButtonTapped(file: "cube", layers: layers), replied: 1) {
      $0.nextNumber = 2
      $0.jobs = [Job.State(id: 1, file: "cube", layers: layers)]
      $0.printers[id: 1]?.job = 1
    }
    await store.receive(\.jobs[id: 1].began) { $0.jobs[id: 1]?.status = .printing }
  }

  /// Asserts a layer of the first job, and the job's end if it is the last one.
  private func receiveLayer(isLast: Bool = false, from store: TestStoreOf<Farm>) async {
    await store.receive(\.jobs[id: 1].layerPrinted) {
      $0.jobs[id: 1]?.layer += 1
      $0.printers[id: 1]?.layers += 1
      if isLast {
        $0.jobs[id: 1]?.status = .printed
        $0.printers[id: 1]?.job = $0.jobs[id: 2]?.id
      }
    }
  }

  @Test(arguments: [false, true])
  func `A job is printed layer by layer, and the next one begins`(isRemote: Bool) async {
    let store = store(isRemote)
    await add(2, to: store)
    await store.send(.addButtonTapped(file: "ball", layers: 1), replied: 2) {
      $0.nextNumber = 3
      $0.jobs.append(Job.State(id: 2, file: "ball", layers: 1))
    }
    await clock.advance(by: .seconds(1))
    await receiveLayer(from: store)
    await clock.advance(by: .seconds(1))
    await receiveLayer(isLast: true, from: store)
    await store.receive(\.jobs[id: 2].began) { $0.jobs[id: 2]?.status = .printing }
    await store.send(.jobs(.element(id: 2, action: .cancelButtonTapped))) {
      $0.jobs[id: 2]?.status = .canceled
      $0.printers[id: 1]?.job = nil
    }
    await store.send(
      .jobs(.element(id: 2, action: .cancelButtonTapped)),
      refused: "Job #2 has ended: canceled.",
      code: "ended",
    )
  }

  @Test(arguments: [
    (500, "A job has 1 to 500 layers."), (0, "The farm is closed."), (-1, "The farm is closed."),
  ])
  func `The farm refuses jobs with more layers than the limit`(limit: Int, refusal: String) async {
    let state = Farm.State(printers: 1)
    state.$settings.mostLayers.withLock { $0 = limit }
    let store = TestStore(initialState: state) { Farm() }
    await store.send(.addButtonTapped(file: "tower", layers: 501), refused: refusal)
  }

  @Test(arguments: [false, true])
  func `A jammed job continues with the same layer`(isRemote: Bool) async {
    let store = store(isRemote, jamsIn: 0)
    await add(1, to: store)
    await clock.advance(by: .seconds(1))
    await store.receive(\.jobs[id: 1].jammed) { $0.jobs[id: 1]?.status = .jammed }
    await store.send(.jobs(.element(id: 1, action: .resumeButtonTapped))) {
      $0.jobs[id: 1]?.status = .printing
    }
    await clock.advance(by: .seconds(1))
    await receiveLayer(isLast: true, from: store)
  }

  @Test(arguments: [false, true])
  func `After a restart a print continues with the interrupted layer`(isRemote: Bool) async {
    let store = store(isRemote)
    await add(2, to: store)
    await clock.advance(by: .seconds(1))
    await receiveLayer(from: store)
    await clock.advance(by: .milliseconds(999))
    await store.restart()
    await clock.advance(by: .milliseconds(999))
    await clock.advance(by: .milliseconds(1))
    await receiveLayer(isLast: true, from: store)
    // `onStart` has begun the schedule of the maintenance, which never ends.
    await store.skipInFlightEffects()
  }

  @Test(arguments: [false, true])
  func `A nightly maintenance removes ended jobs, also after a restart`(isRemote: Bool) async {
    let store = store(isRemote)
    await store.restart()
    await add(1, to: store)
    await clock.advance(by: .seconds(1))
    await receiveLayer(isLast: true, from: store)
    await store.restart(wasStopped: true)
    await clock.advance(by: .seconds(3599))
    await store.receive(\.maintenanceDue) {
      $0.jobs = []
      $0.printers[id: 1]?.layers = 0
    }
    await store.skipInFlightEffects()
  }
}
