import StoreActor
import StoreActorClassic
import Testing

@MainActor
@Suite("Schedulers", .timeLimit(.minutes(1)))
struct SchedulerTests {
  @Test("A test scheduler runs due work, in the order of times and then of scheduling")
  func order() {
    let scheduler = DispatchQueue.test
    var log: [Int] = []
    scheduler.schedule(after: scheduler.now.advanced(by: 2)) { log.append(3) }
    scheduler.schedule { log.append(1) }
    scheduler.schedule(after: scheduler.now.advanced(by: 1)) {
      log.append(2)
      scheduler.schedule { log.append(20) }
    }
    #expect(log == [])
    scheduler.advance()
    #expect(log == [1])
    scheduler.advance(by: .milliseconds(1_500))
    #expect(log == [1, 2, 20])
    scheduler.run()
    #expect(log == [1, 2, 20, 3])
    #expect(scheduler.now.offset == .seconds(2))
  }

  @Test("A repetition continues until it is cancelled or released")
  func repetition() {
    let scheduler = DispatchQueue.test.eraseToAnyScheduler()
    let test = DispatchQueue.test
    var count = 0
    let timer = test.schedule(after: test.now.advanced(by: 1), interval: 1) { count += 1 }
    test.advance(by: 3)
    #expect(count == 3)
    timer.cancel()
    test.run()
    #expect(count == 3)
    #expect(scheduler.now.offset == .zero)
  }

  @Test("An immediate scheduler runs all work at once")
  func immediate() {
    let scheduler: AnySchedulerOf<DispatchQueue> = .immediate
    var isDone = false
    scheduler.schedule(after: scheduler.now.advanced(by: 100)) { isDone = true }
    #expect(isDone)
  }

  @Test("An unimplemented scheduler is reported, and still runs its work")
  func unimplemented() {
    let scheduler: AnySchedulerOf<DispatchQueue> = .unimplemented
    var isDone = false
    withKnownIssue {
      scheduler.schedule { isDone = true }
    } matching: {
      $0.description.contains("An unimplemented scheduler's \"schedule(_:)\"")
    }
    #expect(isDone)
  }

  @Test("Tasks can sleep on a scheduler, and be cancelled")
  func sleeping() async throws {
    // Serial, since otherwise the time might pass before the sleeper sleeps.
    try await withMainSerialExecutor {
      let scheduler = DispatchQueue.test
      let sleeper = Task { try await scheduler.sleep(for: .seconds(1)) }
      await scheduler.advance(by: .seconds(1))
      try await sleeper.value

      let cancelled = Task { try await scheduler.sleep(for: .seconds(1)) }
      cancelled.cancel()
      await #expect(throws: CancellationError.self) { try await cancelled.value }
    }
  }

  @Test("A timer of a scheduler is a sequence")
  func timer() async {
    let scheduler = DispatchQueue.test
    let stream = scheduler.timer(interval: 1)
    var ticks = stream.makeAsyncIterator()
    await scheduler.advance(by: 1)
    #expect(await ticks.next()?.offset == .seconds(1))
    await scheduler.advance(by: 1)
    #expect(await ticks.next()?.offset == .seconds(2))
  }

  @Test("The main queue does its work on the main actor, in time")
  func mainQueue() async {
    let scheduler: AnySchedulerOf<DispatchQueue> = .main
    let start = scheduler.now
    await withCheckedContinuation { continuation in
      scheduler.schedule(after: start.advanced(by: .milliseconds(1))) {
        MainActor.preconditionIsolated()
        continuation.resume()
      }
    }
    #expect(scheduler.now >= start.advanced(by: .milliseconds(1)))
  }

  @Test("Durations are written as numbers of seconds, or by name")
  func strides() {
    #expect(SchedulerTime.Stride(floatLiteral: 0.5) == .milliseconds(500))
    let two: SchedulerTime.Stride = 2
    #expect(two == .seconds(2))
    #expect(two - .seconds(0.5) == .milliseconds(1_500))
    #expect((-two).magnitude == two)
    #expect(two * 3 == 6)
  }
}

@Suite("Schedulers off the main actor", .timeLimit(.minutes(1)))
struct SchedulerThreadTests {
  @Test("A test scheduler is advanced from any thread, and its work is done on the main actor")
  func anyThread() {
    let scheduler = DispatchQueue.test
    let count = LockIsolated(0)
    scheduler.schedule(after: scheduler.now.advanced(by: 1)) {
      MainActor.assertIsolated()
      count.withValue { $0 += 1 }
    }
    scheduler.advance()
    #expect(count.value == 0)
    scheduler.advance(by: 1)
    #expect(count.value == 1)
    scheduler.schedule { count.withValue { $0 += 1 } }
    scheduler.run()
    #expect(count.value == 2)
  }
}
