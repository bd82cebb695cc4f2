import StateContainers
import Testing

import class StoreActor.LockIsolated

private final class Chain: Reducer {
  typealias State = [String]

  enum Input {
    case start(Int)
    case wait
  }

  enum Feedback {
    case step(Int)
  }

  let isCancelled = LockIsolated(false)

  func reduce(
    message: Message<Input, Feedback>,
    into state: inout [String],
  ) -> Effect<Feedback, String> {
    switch message {
    case .input(.start(let count)):
      state.append("start")
      return Effect(output: "started") { send in
        await send(.step(count))
      }
    case .feedback(.step(let count)):
      state.append("\(count)")
      if count == 0 { return .output("done") }
      return .run { send in
        await Task.yield()
        await send(.step(count - 1))
      }
    case .input(.wait):
      return .run { [isCancelled] _ in
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in stream {}
        continuation.finish()
        isCancelled.setValue(true)
      }
    }
  }
}

private final class Commands: CommandingReducer {
  func reduce(message: Message<Int, Int>, into state: inout [Int]) -> [Int] {
    switch message {
    case .input(let count): return Array(0..<count)
    case .feedback(let value):
      state.append(value)
      return []
    }
  }
}

private struct Doubling: EffectHandler {
  func handle(effect: Int, send: @escaping @MainActor @Sendable (Int) async -> Void) async {
    await send(effect * 2)
  }
}

@MainActor
@Suite("State containers", .timeLimit(.minutes(1)))
struct StoreTests {
  @Test("Feedback leads to more feedback, and the awaited send waits for all of it")
  func chain() async {
    let store = Store(state: [], reducer: Chain())
    await store.send(.start(3))
    #expect(store.state == ["start", "3", "2", "1", "0"])
    #expect(store.count == 5)
  }

  @Test("Outputs come in order, and are not kept for those who listen later")
  func outputs() async {
    let store = Store(state: [], reducer: Chain())
    await store.send(.start(0))
    var outputs = store.outputStream.makeAsyncIterator()
    await store.send(.start(1))
    #expect(await outputs.next() == "started")
    #expect(await outputs.next() == "done")
  }

  @Test("Work is cancelled by the task of its input, and when the container goes")
  func cancelling() async {
    let reducer = Chain()
    let store = Store(state: [], reducer: reducer)
    let task: Task<Void, Never> = { store.send(.wait) }()
    await Task.yield()
    task.cancel()
    await task.value
    #expect(reducer.isCancelled.value)

    reducer.isCancelled.setValue(false)
    var other: Store<[String], Chain.Input, Chain.Feedback, String>? = Store(
      state: [],
      reducer: reducer,
    )
    let waiting: Task<Void, Never>? = { other?.send(.wait) }()
    await Task.yield()
    other = nil
    await waiting?.value
    #expect(reducer.isCancelled.value)
  }

  @Test("The streams end with the container")
  func end() async {
    var store: Store<[String], Chain.Input, Chain.Feedback, String>? = Store(
      state: [],
      reducer: Chain(),
    )
    var states = store?.stateStream.makeAsyncIterator()
    var outputs = store?.outputStream.makeAsyncIterator()
    #expect(await states?.next() == [])
    store = nil
    #expect(await states?.next() == nil)
    #expect(await outputs?.next() == nil)
  }

  @Test("All of several commands are carried out")
  func commands() async {
    let store = Store(state: [], reducer: Commands(), handler: Doubling())
    await store.send(4)
    #expect(store.state.sorted() == [0, 2, 4, 6])
    await store.send(0)
    #expect(store.state.count == 4)
  }
}
