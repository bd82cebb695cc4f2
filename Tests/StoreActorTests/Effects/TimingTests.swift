import StoreActor
import Testing

@Suite("Debounce and throttle", .timeLimit(.minutes(1)))
@MainActor
struct TimingTests {
  private func store(
    _ effect: @escaping @Sendable (Int) -> Effect<Int>
  ) -> Store<[Int], Int> {
    Store(initialState: [Int]()) {
      Reduce<[Int], Int> { state, action in
        if action < 0 { return effect(-action) }
        state.append(action)
        return .none
      }
    }
  }

  @Test("Debouncing sends the last action after the interval without another")
  func debounce() async {
    let clock = TestClock()
    let store = store { .send($0).debounce(id: "d", for: .seconds(1), clock: clock) }
    store.send(-1)
    await clock.advance(by: .milliseconds(900))
    let last = store.send(-2)
    await clock.advance(by: .milliseconds(900))
    #expect(store.state == [])
    await clock.advance(by: .milliseconds(100))
    await last.finish()
    #expect(store.state == [2])
  }

  @Test("Throttling sends the first action at once, and the last of an interval at its end")
  func throttleLatest() async {
    let clock = TestClock()
    let store = store {
      .send($0).throttle(id: "t", for: .seconds(1), clock: clock, latest: true)
    }
    store.send(-1)
    #expect(store.state == [1])
    store.send(-2)
    let last = store.send(-3)
    #expect(store.state == [1])
    await clock.advance(by: .seconds(1))
    await last.finish()
    #expect(store.state == [1, 3])
    let next = store.send(-4)
    #expect(store.state == [1, 3])
    await clock.advance(by: .seconds(1))
    await next.finish()
    #expect(store.state == [1, 3, 4])
    await clock.advance(by: .seconds(1))
    store.send(-5)
    #expect(store.state == [1, 3, 4, 5])
  }

  @Test("Throttling without the latest keeps the first of an interval")
  func throttleFirst() async {
    let clock = TestClock()
    let store = store {
      .send($0).throttle(id: "t", for: .seconds(1), clock: clock, latest: false)
    }
    store.send(-1)
    let kept = store.send(-2)
    let dropped = store.send(-3)
    #expect(dropped.isFinished)
    await clock.advance(by: .seconds(1))
    await kept.finish()
    #expect(store.state == [1, 2])
  }

  @Test("A clock of any type is accepted, as in the dependency")
  func anyClock() async {
    // No caller waits for the first of the two effects.
    await withMainSerialExecutor {
      let test = TestClock()
      let clock: any Clock<Duration> = test
      let store = store {
        .merge(
          .send($0).debounce(id: "d", for: .seconds(1), clock: clock),
          .send(10 * $0).throttle(id: "t", for: .seconds(2), clock: clock, latest: true),
        )
      }
      store.send(-1)
      let last = store.send(-2)
      #expect(store.state == [10])
      await test.advance(by: .seconds(1))
      #expect(store.state == [10, 2])
      await test.advance(by: .seconds(1))
      await last.finish()
      #expect(store.state == [10, 2, 20])
    }
  }

  @Test("Removed throttled rows leave no state, and intervals apply while rows exist")
  func rows() async {
    let clock = TestClock()
    let core = RootCore(
      initialState: { Office.State() },
      reducer: {
        Reduce<Office.State, Office.Action> { state, action in
          if case .rowsReplaced(let rows) = action { state.rows = rows }
          return .none
        }
        .forEach(\.rows, action: \.rows) {
          Reduce<Worker.State, Worker.Action> { state, action in
            if action == .tick { state.ticks += 1 }
            guard action == .start else { return .none }
            return .send(.tick).throttle(id: "t", for: .seconds(1), clock: clock, latest: false)
          }
        }
      },
    )
    let path = ChildrenPath(\Office.State.rows)
    let rows = { core.registry.children(of: core.registry, at: path).count }
    let workers = (0..<1000).map { Worker.State(id: $0) }
    core.send(.rowsReplaced(IdentifiedArray(uniqueElements: workers)))
    for id in 0..<1000 { core.send(.rows(.element(id: id, action: .start))) }
    #expect(rows() == 1000)
    core.send(.rows(.element(id: 7, action: .start)))
    #expect(core.state.rows[id: 7]?.ticks == 1)
    core.send(.rowsReplaced([]))
    await eventually { !core.hasRunningEffects }
    #expect(rows() == 0)
  }
}
