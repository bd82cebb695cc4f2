import StoreActor
import Testing

@Suite("Cancelling effects", .timeLimit(.minutes(1)))
@MainActor
struct CancellationTests {
  enum Action: Sendable {
    case start(String)
    case restart(String)
    case cancel(String)
    case startAndCancel
    case done(String)
  }

  private func store(_ log: Log, clock: TestClock<Duration> = TestClock()) -> Store<Int, Action> {
    Store(initialState: 0) {
      Reduce<Int, Action> { _, action in
        switch action {
        case .start(let id): return work(id, log).cancellable(id: id)
        case .restart(let id): return work(id, log).cancellable(id: id, cancelInFlight: true)
        case .cancel(let id): return .cancel(id: id)
        case .startAndCancel:
          return .merge(work("a", log).cancellable(id: "a"), .send(.cancel("a")))
        case .done(let id):
          log("done \(id)")
          return .none
        }
      }
    }
  }

  private nonisolated func work(_ id: String, _ log: Log) -> Effect<Action> {
    .run { send in
      log("start \(id)")
      try? await Task.never()
      log("end \(id)")
      await send(.done(id))
    }
  }

  @Test("An id cancels exactly the effects under it, and they send no further action")
  func byID() async {
    let log = Log()
    let store = store(log)
    let tasks = ["a", "a", "b"].map { store.send(.start($0)) }
    await eventually { log.all.count == 3 }
    store.send(.cancel("a"))
    await tasks[0].finish()
    await tasks[1].finish()
    #expect(log.all.filter { $0 == "end a" }.count == 2)
    #expect(!log.all.contains("end b"))
    #expect(!log.all.contains("done a"))
    store.send(.cancel("b"))
    await tasks[2].finish()
  }

  @Test("Of two equal ids of different types, only the given one is cancelled")
  func idsOfTypes() async {
    let log = Log()
    let store = Store(initialState: 0) {
      Reduce<Int, Int> { _, action in
        guard action == 0 else { return .cancel(id: Int8(1)) }
        return .run { _ in
          try? await Task.never()
          log("cancelled")
        }
        .cancellable(id: 1)
      }
    }
    let task = store.send(0)
    store.send(1)
    await Task.megaYield()
    #expect(!task.isFinished)
    task.cancel()
    await task.finish()
  }

  @Test("An empty effect cancels no effect in flight")
  func noEffect() async {
    let store = Store(initialState: 0) {
      Reduce<Int, Bool> { _, isWork in
        let work: Effect<Bool> = isWork ? .run { _ in try await Task.never() } : .none
        return work.cancellable(id: "work", cancelInFlight: true)
      }
    }
    let task = store.send(true)
    store.send(false)
    await Task.megaYield()
    #expect(!task.isFinished)
    task.cancel()
    await task.finish()
  }

  @Test("An id can be cancelled before its effect's task first runs")
  func beforeStart() async {
    let log = Log()
    let store = store(log)
    let task = store.send(.start("a"))
    store.send(.cancel("a"))
    await task.finish()
    #expect(!log.all.contains("done a"))
  }

  @Test("An effect that is cancelled in its own batch never starts")
  func inTheSameBatch() async {
    let log = Log()
    let store = store(log)
    let task = store.send(.startAndCancel)
    #expect(task.isFinished)
    await Task.megaYield()
    #expect(log.all.isEmpty)
  }

  @Test("With cancelInFlight only the last effect continues")
  func cancelInFlight() async {
    let log = Log()
    let store = store(log)
    let first = store.send(.restart("a"))
    let second = store.send(.restart("a"))
    await first.finish()
    #expect(!second.isFinished)
    store.send(.cancel("a"))
    await second.finish()
  }

  @Test("A chain continues after a cancelled part, and ends if the chain is cancelled")
  func chains() async {
    let store = Store(initialState: [Int]()) {
      Reduce<[Int], Int> { state, action in
        state.append(action)
        let never = Effect<Int>.run { _ in try await Task.never() }
        return switch action {
        case 0: .concatenate(never.cancellable(id: "part"), .send(1))
        case 10: .concatenate(never, .send(11)).cancellable(id: "chain")
        case 2: .merge(.cancel(id: "part"), .cancel(id: "chain"))
        default: .none
        }
      }
    }
    let part = store.send(0)
    let chain = store.send(10)
    store.send(2)
    await part.finish()
    await chain.finish()
    #expect(store.state == [0, 10, 2, 1])
  }

  @Test(
    "Inside an effect, an operation can be cancelled by an id, from the reducer and from a task"
  )
  func withTaskCancellationID() async {
    enum ID { case reducer, task }
    let log = Log()
    let store = Store(initialState: 0) {
      Reduce<Int, Int> { _, action in
        switch action {
        case 0:
          return .run { _ in
            await withTaskCancellation(id: ID.reducer) { try? await Task.never() }
            log("reducer")
            do {
              try await withTaskCancellation(id: ID.task) { try await Task<Never, Never>.never() }
            } catch {
              log("task: \(error is CancellationError), \(Task.isCancelled)")
            }
          }
        case 1: return .cancel(id: ID.reducer)
        default: return .run { _ in Task.cancel(id: ID.task) }
        }
      }
    }
    let core = store.core as? RootCore<Int, Int>
    let task = store.send(0)
    await eventually { core?.registry.isRunning(CancelID(ID.reducer)) == true }
    store.send(1)
    await eventually { core?.registry.isRunning(CancelID(ID.task)) == true }
    await store.send(2).finish()
    await task.finish()
    #expect(log.all == ["reducer", "task: true, false"])
  }

  @Test("An operation under an id returns its result, and rethrows its typed error")
  func withTaskCancellationResult() async {
    struct Failure: Error {}
    #expect(await withTaskCancellation(id: 1) { 42 } == 42)
    await #expect(throws: Failure.self) {
      try await withTaskCancellation(id: 1) { () async throws(Failure) -> Int in throw Failure() }
    }
  }

  @Test("Ids of one store do not affect another")
  func storesAreApart() async {
    let log = Log()
    let first = store(log)
    let second = store(log)
    let task = first.send(.start("a"))
    second.send(.cancel("a"))
    await eventually { log.all == ["start a"] }
    #expect(!task.isFinished)
    first.send(.cancel("a"))
    await task.finish()
  }

  @Test("The registry is empty when effects have ended")
  func cleanUp() async {
    let log = Log()
    let store = store(log)
    let core = store.core as? RootCore<Int, Action>
    let tasks = ["a", "b", "c"].map { store.send(.start($0)) }
    #expect(core?.registry.count == 3)
    #expect(core?.hasRunningEffects == true)
    core?.cancelEffects()
    for task in tasks { await task.finish() }
    await eventually { core?.registry.count == 0 }
    #expect(core?.registry.isRunning(CancelID("a")) == false)
  }
}
