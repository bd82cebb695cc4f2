import StoreActor
import Testing

@Suite("A test clock", .mainSerialExecutor, .timeLimit(.minutes(1)))
@MainActor
struct TestClockTests {
  let clock = TestClock()

  @Test("does not advance by itself")
  func stands() async {
    let start = clock.now
    await Task.megaYield()
    #expect(clock.now == start)
    #expect(clock.minimumResolution == .zero)
  }

  @Test("wakes a sleep when its deadline is reached, not before")
  func wakes() async {
    let awake = LockIsolated(false)
    let task = Task {
      try await clock.sleep(for: .seconds(2))
      awake.setValue(true)
    }
    await clock.advance(by: .milliseconds(1999))
    #expect(!awake.value)
    await clock.advance(by: .milliseconds(1))
    #expect(awake.value)
    #expect(await task.result.isSuccess)
  }

  @Test("wakes sleeps in the order of their deadlines, and equal ones in the order of their start")
  func order() async {
    let order = LockIsolated<[String]>([])
    for (name, seconds) in [("c", 3), ("a", 1), ("b1", 2), ("b2", 2), ("b3", 2)] {
      Task {
        try await clock.sleep(for: .seconds(seconds))
        order.withValue { $0.append(name) }
      }
      await Task.megaYield()
    }
    await clock.advance(by: .seconds(3))
    #expect(order.value == ["a", "b1", "b2", "b3", "c"])
  }

  @Test("shows a sleep's own deadline when it wakes during a longer advance")
  func nowOnTheWay() async {
    let start = clock.now
    let seen = LockIsolated<[Duration]>([])
    Task {
      for _ in 1...3 {
        try await clock.sleep(for: .seconds(1))
        seen.withValue { [now = clock.now] in $0.append(start.duration(to: now)) }
      }
    }
    await clock.advance(by: .seconds(10))
    #expect(seen.value == [.seconds(1), .seconds(2), .seconds(3)])
    #expect(start.duration(to: clock.now) == .seconds(10))
  }

  @Test("ends a sleep with a past deadline at once, and one until now with the next advance")
  func deadlineBehind() async throws {
    let start = clock.now
    await clock.advance(by: .seconds(1))
    try await clock.sleep(until: start)
    let awake = LockIsolated(false)
    Task {
      try await clock.sleep(for: .zero)
      awake.setValue(true)
    }
    await Task.megaYield()
    #expect(!awake.value)
    await clock.advance()
    #expect(awake.value)
  }

  @Test("never moves backward")
  func backwards() async {
    let start = clock.now
    await clock.advance(by: .seconds(1))
    await clock.advance(to: start)
    #expect(start.duration(to: clock.now) == .seconds(1))
  }

  @Test("ends a sleep whose task is cancelled")
  func cancellation() async throws {
    let task = Task { try await clock.sleep(for: .seconds(1)) }
    await Task.megaYield()
    await #expect(throws: SuspensionError.self) { try await clock.checkSuspension() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try await clock.checkSuspension()
  }

  @Test("does not begin a sleep in a cancelled task")
  func cancelledBefore() async throws {
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      try await clock.sleep(for: .seconds(1))
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try await clock.checkSuspension()
  }

  @Test("survives sleeps that are cancelled while they begin and while they end")
  func races() async throws {
    for round in 0..<200 {
      let tasks = (0..<4).map { index in
        Task.detached { [clock] in try await clock.sleep(for: .seconds(index % 2)) }
      }
      async let advanced: Void = Task.detached { [clock] in
        await clock.advance(by: .seconds(round % 2))
      }.value
      for task in tasks { task.cancel() }
      for task in tasks { _ = await task.result }
      await advanced
    }
    try await clock.checkSuspension()
  }

  @Test("runs until no task sleeps")
  func runs() async throws {
    let count = LockIsolated(0)
    Task {
      for _ in 0..<5 {
        try await clock.sleep(for: .seconds(100))
        count.withValue { $0 += 1 }
      }
    }
    // The timeout is real time, and a busy machine may use any amount of it.
    await clock.run(timeout: .seconds(30))
    #expect(count.value == 5)
    try await clock.checkSuspension()
  }

  @Test("continues while a task takes many turns until it sleeps again")
  func runsForSlowTasks() async throws {
    let count = LockIsolated(0)
    Task {
      for _ in 0..<5 {
        try await clock.sleep(for: .seconds(100))
        for _ in 0..<100 { await Task.yield() }
        count.withValue { $0 += 1 }
      }
    }
    await clock.run(timeout: .seconds(30))
    #expect(count.value == 5)
  }

  @Test("reports a run that does not end")
  func endlessRun() async {
    let task = Task {
      for await _ in clock.timer(interval: .seconds(1)) {}
    }
    await withKnownIssue {
      await clock.run(timeout: .milliseconds(20))
    } matching: {
      $0.comments.description.contains("Expected all sleeps to finish")
    }
    task.cancel()
  }

  @Test("counts in its own units")
  func units() async {
    let clock = TestClock(now: TestClock<Ticks>.Instant(offset: Ticks(count: 5)))
    let awake = LockIsolated(false)
    Task {
      try await clock.sleep(for: Ticks(count: 2))
      awake.setValue(true)
    }
    await clock.advance(by: Ticks(count: 2))
    #expect(awake.value)
    #expect(clock.now == TestClock<Ticks>.Instant(offset: Ticks(count: 7)))
  }
}

/// A duration type other than Swift's.
struct Ticks: DurationProtocol, Hashable {
  var count: Int

  static var zero: Ticks { Ticks(count: 0) }
  static func + (lhs: Ticks, rhs: Ticks) -> Ticks { Ticks(count: lhs.count + rhs.count) }
  static func - (lhs: Ticks, rhs: Ticks) -> Ticks { Ticks(count: lhs.count - rhs.count) }
  static func / (lhs: Ticks, rhs: Int) -> Ticks { Ticks(count: lhs.count / rhs) }
  static func * (lhs: Ticks, rhs: Int) -> Ticks { Ticks(count: lhs.count * rhs) }
  static func / (lhs: Ticks, rhs: Ticks) -> Double { Double(lhs.count) / Double(rhs.count) }
  static func < (lhs: Ticks, rhs: Ticks) -> Bool { lhs.count < rhs.count }
}

extension Result {
  fileprivate var isSuccess: Bool { self.is(\.success) }
}
