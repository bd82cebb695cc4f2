import Foundation
import StoreActor
import Testing

@Suite("The library's own dependencies")
struct BuiltInDependencyTests {
  @Test("A date can be set, held constant and returned by a function")
  func date() {
    let epoch = Date(timeIntervalSince1970: 0)
    withDependencies {
      $0.date.now = epoch
    } operation: {
      @Dependency(\.date) var date
      @Dependency(\.date.now) var now
      #expect(date.now == epoch)
      #expect(date() == epoch)
      #expect(now == epoch)
    }
    #expect(DateGenerator.constant(epoch)() == epoch)
    #expect(DateGenerator { epoch + 1 }.now == epoch + 1)
    let before = Date()
    #expect(DependencyValues.live.date.now >= before)
  }

  @Test("UUIDs count up, or stay constant")
  func uuid() {
    let generate = UUIDGenerator.incrementing
    #expect([generate(), generate(), generate()] == [UUID(0), UUID(1), UUID(2)])
    #expect(UUIDGenerator.incrementing() == UUID(0))
    let constant = UUIDGenerator.constant(UUID(5))
    #expect([constant(), constant()] == [UUID(5), UUID(5)])
    let live = DependencyValues.live.uuid
    #expect(live() != live())
  }

  @Test(
    "A UUID of a number shows it in hexadecimal digits",
    arguments: [
      (0, "00000000-0000-0000-0000-000000000000"),
      (1, "00000000-0000-0000-0000-000000000001"),
      (0xDEAD_BEEF, "00000000-0000-0000-0000-0000DEADBEEF"),
      (-1, "00000000-0000-0001-0000-000000000001"),
      (-16, "00000000-0000-0001-0000-000000000010"),
      (.max, "00000000-0000-0000-7FFF-FFFFFFFFFFFF"),
      (.min, "00000000-0000-0001-8000-000000000000"),
    ],
  )
  func uuidOfNumber(number: Int, text: String) {
    #expect(UUID(number).uuidString == text)
  }

  @Test("The clocks are real in a program and can be replaced in a test")
  func clocks() async throws {
    #expect(DependencyValues.live.continuousClock is ContinuousClock)
    #expect(DependencyValues.live.suspendingClock is SuspendingClock)
    try await withDependencies {
      $0.continuousClock = ImmediateClock()
      $0.suspendingClock = .immediate
    } operation: {
      @Dependency(\.continuousClock) var clock
      @Dependency(\.suspendingClock) var suspendingClock
      try await clock.sleep(for: .seconds(1_000_000))
      try await suspendingClock.sleep(for: .seconds(1_000_000))
    }
  }

  @Test("A test sets the generator of random numbers")
  func random() {
    struct Seeded: RandomNumberGenerator, Sendable {
      var state: UInt64
      mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state
      }
    }
    func rolls() -> [Int] {
      withDependencies {
        $0.withRandomNumberGenerator = WithRandomNumberGenerator(Seeded(state: 7))
      } operation: {
        @Dependency(\.withRandomNumberGenerator) var withRandomNumberGenerator
        return (0..<20).map { _ in withRandomNumberGenerator { Int.random(in: 1...6, using: &$0) } }
      }
    }
    #expect(rolls() == rolls())
    #expect(Set(rolls()).count > 1)
  }

  @Test("Work without an awaited end is awaited in a test, and its error reported")
  func fireAndForget() async {
    struct Failure: Error {}
    let done = LockIsolated(0)
    @Dependency(\.fireAndForget) var fireAndForget
    await fireAndForget { done.withValue { $0 += 1 } }
    #expect(done.value == 1)
    await withKnownIssue {
      await fireAndForget(priority: .high) { throw Failure() }
    } matching: {
      $0.description.contains("Failure")
    }
    await fireAndForget { throw CancellationError() }

    let awaited = AsyncStream<Int>.makeStream()
    await DependencyValues.live.fireAndForget { awaited.continuation.yield(1) }
    var iterator = awaited.stream.makeAsyncIterator()
    #expect(await iterator.next() == 1)
  }

  @Test("In a test each dependency reports its use if it is not set")
  func unimplemented() async throws {
    expectIssue(#"Unimplemented: @Dependency(\.date)"#) {
      _ = DependencyValues._current.date.now
    }
    expectIssue(#"Unimplemented: @Dependency(\.uuid)"#) {
      _ = DependencyValues._current.uuid()
    }
    expectIssue(#"Unimplemented: @Dependency(\.withRandomNumberGenerator)"#) {
      DependencyValues._current.withRandomNumberGenerator { _ = $0.next() }
    }
    expectIssue(#"@Dependency(\.calendar) has no test implementation"#) {
      _ = DependencyValues._current.calendar
    }
    expectIssue(#"@Dependency(\.locale) has no test implementation"#) {
      _ = DependencyValues._current.locale
    }
    expectIssue(#"@Dependency(\.preferredLocales) has no test implementation"#) {
      _ = DependencyValues._current.preferredLocales
    }
    expectIssue(#"@Dependency(\.timeZone) has no test implementation"#) {
      _ = DependencyValues._current.timeZone
    }
    try await withKnownIssue {
      try await DependencyValues._current.continuousClock.sleep(for: .seconds(1))
    } matching: {
      $0.comments.description.contains("Unimplemented: ContinuousClock.")
    }
  }

  @Test("A test sets the region")
  func region() throws {
    let zone = try #require(TimeZone(secondsFromGMT: 3600))
    withDependencies {
      $0.calendar = Calendar(identifier: .gregorian)
      $0.locale = Locale(identifier: "de_CH")
      $0.preferredLocales = [Locale(identifier: "rm_CH"), Locale(identifier: "de_CH")]
      $0.timeZone = zone
    } operation: {
      @Dependency(\.calendar) var calendar
      @Dependency(\.locale) var locale
      @Dependency(\.preferredLocales) var preferredLocales
      @Dependency(\.timeZone) var timeZone
      #expect(calendar.identifier == .gregorian)
      #expect(locale.identifier == "de_CH")
      #expect(preferredLocales.map(\.identifier) == ["rm_CH", "de_CH"])
      #expect(timeZone == zone)
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
