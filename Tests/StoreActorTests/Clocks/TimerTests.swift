import StoreActor
import Testing

@Suite("A clock's timer", .mainSerialExecutor, .timeLimit(.minutes(1)))
@MainActor
struct TimerTests {
  let clock = TestClock()

  @Test("ticks once an interval")
  func ticks() async {
    let ticks = LockIsolated(0)
    let task = Task {
      for await _ in clock.timer(interval: .seconds(1)) { ticks.withValue { $0 += 1 } }
    }
    await clock.advance(by: .milliseconds(999))
    #expect(ticks.value == 0)
    await clock.advance(by: .milliseconds(1))
    #expect(ticks.value == 1)
    await clock.advance(by: .seconds(10))
    #expect(ticks.value == 11)
    task.cancel()
    await task.value
  }

  @Test("of a clock with an erased type returns the instants of its ticks")
  func existential() async throws {
    let clock: any Clock<Duration> = clock
    let instants = LockIsolated<[AnyClock<Duration>.Instant]>([])
    let task = Task {
      for await instant in clock.timer(interval: .seconds(2)) {
        instants.withValue { $0.append(instant) }
      }
    }
    await self.clock.advance(by: .seconds(6))
    task.cancel()
    await task.value
    let seen = instants.value
    try #require(seen.count == 3)
    #expect(seen[0].duration(to: seen[2]) == .seconds(4))
  }

  @Test("ends when its task is cancelled, and leaves no sleep")
  func cancellation() async throws {
    let task = Task {
      for await _ in clock.timer(interval: .seconds(1)) {}
      return Task.isCancelled
    }
    await clock.advance(by: .seconds(3))
    task.cancel()
    #expect(await task.value)
    try await clock.checkSuspension()
  }

  @Test("skips the ticks that its loop missed, and then keeps its schedule")
  func slowLoop() async {
    let start = clock.now
    let ticks = LockIsolated<[Duration]>([])
    let task = Task {
      for await _ in clock.timer(interval: .seconds(1)) {
        ticks.withValue { [now = clock.now] in $0.append(start.duration(to: now)) }
        if ticks.count == 1 { try await clock.sleep(for: .milliseconds(2500)) }
      }
    }
    await clock.advance(by: .seconds(6))
    task.cancel()
    _ = await task.result
    #expect(ticks.value == [.seconds(1), .seconds(4), .seconds(5), .seconds(6)])
  }

  @Test("returns no tick after its end")
  func afterTheEnd() async {
    let task = Task {
      var iterator = AsyncTimerSequence(interval: .seconds(1), clock: clock).makeAsyncIterator()
      let first = await iterator.next()
      let second = await iterator.next()
      return first == nil && second == nil
    }
    task.cancel()
    #expect(await task.value)
  }
}
