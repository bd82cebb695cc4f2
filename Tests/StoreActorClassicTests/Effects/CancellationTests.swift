import StoreActorClassic
import Testing

private struct Bench: Equatable {
  var values: [Int] = []
}

private enum BenchAction: Equatable {
  case perform(String)
  case value(Int)
}

@MainActor
@Suite("Cancellation and timing", .timeLimit(.minutes(1)))
struct CancellationTests {
  private struct ID: Hashable {}
  private enum TypeID {}

  let scheduler = DispatchQueue.test

  private func bench(
    _ effects: [String: Effect<Int, Never>]
  ) -> ViewStore<Bench, BenchAction> {
    ViewStore(
      Store(
        initialState: Bench(),
        reducer: Reducer<Bench, BenchAction, Void> { state, action, _ in
          switch action {
          case .perform(let name):
            return (effects[name] ?? .none).map(BenchAction.value)
          case .value(let value):
            state.values.append(value)
            return .none
          }
        },
        environment: (),
      )
    )
  }

  private func later(_ value: Int, after time: SchedulerTime.Stride = 1) -> Effect<Int, Never> {
    Effect(value: value).delay(for: time, scheduler: scheduler)
  }

  @Test("An effect is cancelled by its id only")
  func byID() {
    let store = bench([
      "a": later(1).cancellable(id: ID()),
      "b": later(2).cancellable(id: TypeID.self),
      "cancel a": .cancel(id: ID()),
    ])
    store.send(.perform("a"))
    store.send(.perform("b"))
    store.send(.perform("cancel a"))
    scheduler.run()
    #expect(store.values == [2])
  }

  @Test("Several ids and types are cancelled together")
  func several() {
    let store = bench([
      "a": later(1).cancellable(id: 1),
      "b": later(2).cancellable(id: "two"),
      "c": later(3).cancellable(id: TypeID.self),
      "cancel": .merge(.cancel(ids: [1, "two"]), .cancel(ids: [TypeID.self])),
    ])
    for name in ["a", "b", "c", "cancel"] { store.send(.perform(name)) }
    scheduler.run()
    #expect(store.values == [])
  }

  @Test("A new effect may cancel the one before it, and not itself")
  func inFlight() {
    let store = bench([
      "a": later(1).cancellable(id: ID(), cancelInFlight: true),
      "b": later(2).cancellable(id: ID(), cancelInFlight: true),
    ])
    store.send(.perform("a"))
    store.send(.perform("b"))
    scheduler.run()
    #expect(store.values == [2])
  }

  @Test("The effect after a cancelled one in a chain still begins")
  func chain() {
    let store = bench([
      "a": .concatenate(later(1).cancellable(id: ID()), Effect(value: 2)),
      "cancel": .cancel(id: ID()),
    ])
    store.send(.perform("a"))
    store.send(.perform("cancel"))
    #expect(store.values == [2])
  }

  @Test("Two stores do not cancel each other's effects")
  func stores() {
    let effects: [String: Effect<Int, Never>] = [
      "a": later(1).cancellable(id: ID()),
      "cancel": .cancel(id: ID()),
    ]
    let (first, second) = (bench(effects), bench(effects))
    first.send(.perform("a"))
    second.send(.perform("a"))
    first.send(.perform("cancel"))
    scheduler.run()
    #expect(first.values == [])
    #expect(second.values == [1])
  }

  @Test("Async work is cancelled by id, from outside and from within")
  func asyncWork() async {
    let scheduler = scheduler
    let store = bench([
      "forever": .run { send in
        do {
          try await withTaskCancellation(id: ID()) { try await scheduler.sleep(for: 1) }
        } catch {
          await send(1)
        }
      },
      "cancel": .run { _ in await Task.cancel(id: ID()) },
    ])
    let task = store.send(.perform("forever"))
    while store.values.isEmpty { await store.send(.perform("cancel")).finish() }
    await task.finish()
    #expect(store.values == [1])
  }

  @Test("Debouncing lets only the last of a burst begin")
  func debounce() {
    let store = bench([
      "a": Effect(value: 1).debounce(id: ID(), for: 1, scheduler: scheduler),
      "b": Effect(value: 2).debounce(id: ID(), for: 1, scheduler: scheduler),
    ])
    store.send(.perform("a"))
    scheduler.advance(by: .milliseconds(900))
    store.send(.perform("b"))
    scheduler.advance(by: .milliseconds(900))
    #expect(store.values == [])
    scheduler.advance(by: .milliseconds(100))
    #expect(store.values == [2])
  }

  @Test("Throttling lets the first pass at once, and the last of an interval at its end")
  func throttleLatest() {
    let store = bench(
      Dictionary(
        uniqueKeysWithValues: (1...4).map {
          let effect = Effect<Int, Never>(value: $0)
          return ("\($0)", effect.throttle(id: ID(), for: 1, scheduler: scheduler, latest: true))
        }
      )
    )
    store.send(.perform("1"))
    #expect(store.values == [1])
    store.send(.perform("2"))
    store.send(.perform("3"))
    #expect(store.values == [1])
    scheduler.advance(by: 1)
    #expect(store.values == [1, 3])
    scheduler.advance(by: 1)
    store.send(.perform("4"))
    #expect(store.values == [1, 3, 4])
  }

  @Test("Throttling may keep the first of an interval instead")
  func throttleFirst() {
    let store = bench([
      "1": Effect(value: 1).throttle(id: ID(), for: 1, scheduler: scheduler, latest: false),
      "2": Effect(value: 2).throttle(id: ID(), for: 1, scheduler: scheduler, latest: false),
      "3": Effect(value: 3).throttle(id: ID(), for: 1, scheduler: scheduler, latest: false),
    ])
    for name in ["1", "2", "3"] { store.send(.perform(name)) }
    scheduler.advance(by: 1)
    #expect(store.values == [1, 2])
  }

  @Test("A deferred effect begins later, and not at all once it is cancelled")
  func deferred() {
    let count = LockIsolated(0)
    let counting = Effect<Int, Never>.fireAndForget { count.withValue { $0 += 1 } }
    let store = bench([
      "a": counting.deferred(for: 1, scheduler: scheduler).cancellable(id: ID()),
      "cancel": .cancel(id: ID()),
    ])
    store.send(.perform("a"))
    #expect(count.value == 0)
    scheduler.advance(by: 1)
    #expect(count.value == 1)
    store.send(.perform("a"))
    store.send(.perform("cancel"))
    scheduler.run()
    #expect(count.value == 1)
  }

  @Test("A timer ticks until it is cancelled")
  func timer() {
    let store = bench([
      "start": Effect.timer(id: ID(), every: 1, on: scheduler).map { _ in 1 },
      "stop": .cancel(id: ID()),
    ])
    store.send(.perform("start"))
    scheduler.advance(by: 3)
    #expect(store.values == [1, 1, 1])
    store.send(.perform("stop"))
    scheduler.run()
    #expect(store.values == [1, 1, 1])
  }

  @Test("Received on a scheduler, outputs wait for it")
  func receiving() {
    let store = bench(["a": Effect(value: 1).receive(on: scheduler)])
    let task = store.send(.perform("a"))
    #expect(store.values == [])
    #expect(!task.isCancelled)
    scheduler.advance()
    #expect(store.values == [1])
  }

  @Test("Cancelling the task of an action cancels its effects")
  func tasks() async {
    let store = bench(["a": later(1)])
    let task = store.send(.perform("a"))
    await task.cancel()
    await scheduler.run()
    #expect(store.values == [])
    #expect(task.isCancelled)
  }
}
