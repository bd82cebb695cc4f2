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

  @Test("Debouncing lets the last one through, when nothing has followed it for the time")
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

  @Test("Throttling lets the first through at once, and the last of an interval at its end")
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
}
