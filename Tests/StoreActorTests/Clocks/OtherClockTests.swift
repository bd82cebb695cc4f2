import StoreActor
import Testing

@Suite("An immediate clock", .timeLimit(.minutes(1)))
struct ImmediateClockTests {
  @Test("takes no time for a sleep, and records its duration")
  func immediate() async throws {
    let clock = ImmediateClock()
    let start = clock.now
    try await clock.sleep(for: .seconds(1_000_000))
    #expect(start.duration(to: clock.now) == .seconds(1_000_000))
    try await clock.sleep(until: start)
    #expect(start.duration(to: clock.now) == .seconds(1_000_000))
    #expect(clock.minimumResolution == .zero)
  }

  @Test("does not sleep in a cancelled task")
  func cancelled() async {
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      try await ImmediateClock().sleep(for: .seconds(1))
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("has a timer that ticks at once")
  func timer() async {
    let clock: any Clock<Duration> = .immediate
    var count = 0
    for await _ in clock.timer(interval: .seconds(1)) {
      count += 1
      if count == 3 { break }
    }
    #expect(count == 3)
  }
}

@Suite("An erased clock", .mainSerialExecutor, .timeLimit(.minutes(1)))
struct AnyClockTests {
  @Test("counts from its creation, on the underlying clock")
  func erased() async throws {
    let base = TestClock()
    await base.advance(by: .seconds(5))
    let clock = AnyClock(base)
    let start = clock.now
    await base.advance(by: .seconds(2))
    #expect(start.duration(to: clock.now) == .seconds(2))
    #expect(start < clock.now)

    let awake = LockIsolated(false)
    let task = Task {
      try await clock.sleep(until: start.advanced(by: .seconds(3)))
      awake.setValue(true)
    }
    await base.advance(by: .milliseconds(999))
    #expect(!awake.value)
    await base.advance(by: .milliseconds(1))
    try await task.value
    #expect(awake.value)
  }

  @Test("wraps a clock of an unknown type")
  func existential() async throws {
    let base: any Clock<Duration> = ImmediateClock()
    let clock = AnyClock(base)
    try await clock.sleep(for: .seconds(1))
    #expect(clock.minimumResolution == .zero)
  }
}

@Suite("An unimplemented clock", .timeLimit(.minutes(1)))
struct UnimplementedClockTests {
  @Test("reports each use by its name, and then uses another clock")
  func reports() async {
    let base = ImmediateClock()
    let start = base.now
    let clock = UnimplementedClock(base, name: "Stopwatch")
    expectIssue("Unimplemented: Stopwatch.now") { _ = clock.now }
    expectIssue("Unimplemented: Stopwatch.minimumResolution") { _ = clock.minimumResolution }
    await withKnownIssue {
      try? await clock.sleep(for: .seconds(3))
    } matching: {
      let text = $0.comments.description
      return ["now", "sleep"].contains { text.contains("Unimplemented: Stopwatch.\($0)") }
    }
    #expect(start.duration(to: base.now) >= .seconds(3))
  }

  @Test("takes no time without an underlying clock")
  func plain() async {
    let clock: any Clock<Duration> = .unimplemented(name: "Plain")
    await withKnownIssue {
      try? await clock.sleep(for: .seconds(1_000_000))
    } matching: {
      $0.comments.description.contains("Unimplemented: Plain.")
    }
  }

  private func expectIssue(_ text: String, in operation: () -> Void) {
    withKnownIssue {
      operation()
    } matching: {
      $0.comments.description.contains(text)
    }
  }
}
