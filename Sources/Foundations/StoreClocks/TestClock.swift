import Foundation
import IssueReporting
import StoreConcurrency

/// A clock whose time passes only when a test advances it.
///
/// ```swift
/// let clock = TestClock()
/// let store = TestStore(initialState: Feature.State()) { Feature() } withDependencies: {
///   $0.continuousClock = clock
/// }
/// await store.send(.startButtonTapped)
/// await clock.advance(by: .seconds(1))
/// await store.receive(\.tick)
/// ```
///
/// Sendable because `time` and `sleepers` are accessed only while `lock` is held.
public final class TestClock<Duration: DurationProtocol & Hashable>: Clock, @unchecked Sendable {
  private let lock = NSRecursiveLock()
  private var time: Instant
  private var sleepers: [Sleeper] = []
  private var nextID: UInt64 = 0

  /// Creates a clock that shows an instant.
  public init(now: Instant = Instant()) {
    time = now
  }

  /// The instant to which the test has advanced the clock.
  public var now: Instant { lock.withLock { time } }

  /// Zero: this clock can be advanced by any amount.
  public var minimumResolution: Duration { .zero }

  /// Waits until the test has advanced the clock to a deadline.
  ///
  /// A past deadline ends the wait at once, and the current instant at the next advance.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    let id = makeID()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        add(Sleeper(id: id, deadline: deadline, continuation: continuation))
      }
      try Task.checkCancellation()
    } onCancel: {
      remove(id)?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Advances the clock by a duration, and wakes sleepers in the order of their deadlines.
  ///
  /// After each deadline all tasks get time to react, and may sleep again.
  public func advance(by duration: Duration = .zero) async {
    await advance(to: now.advanced(by: duration))
  }

  /// Advances the clock to a deadline, and wakes sleepers in the order of their deadlines.
  public func advance(to deadline: Instant) async {
    repeat { await Task.megaYield() } while wakeNext(until: deadline)
    await Task.megaYield()
  }

  /// Throws if a task still sleeps, such as a forgotten effect.
  ///
  /// - Throws: ``SuspensionError``
  public func checkSuspension() async throws {
    await Task.megaYield()
    guard nextDeadline == nil else { throw SuspensionError() }
  }

  /// Advances the clock until no task sleeps, and reports an issue if that takes too long.
  ///
  /// The timeout is real time, not this clock's.
  public func run(
    timeout: Swift.Duration = .milliseconds(500),
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async {
    let end = ContinuousClock.now.advanced(by: timeout)
    await Task.megaYield()
    while let deadline = await nextDeadlineAfterTurns() {
      guard ContinuousClock.now < end, !Task.isCancelled else {
        reportIssue(
          """
          Expected all sleeps to finish, but some are still suspending after \(timeout).

          Something sleeps again and again, as a timer does.

          To fix, cancel it before the end of the test, use "advance" instead of "run", or give \
          "run" a longer "timeout".
          """,
          fileID: fileID,
          filePath: filePath,
          line: line,
          column: column,
        )
        return
      }
      await advance(to: deadline)
    }
  }
}

extension TestClock where Duration == Swift.Duration {
  /// Creates a clock that shows its first instant.
  public convenience init() {
    self.init(now: Instant())
  }
}

extension TestClock {
  /// A point in the time of a ``TestClock``.
  public struct Instant: InstantProtocol {
    private let offset: Duration

    /// Creates the instant after a duration from the first one.
    public init(offset: Duration = .zero) {
      self.offset = offset
    }

    /// Returns the instant that is later by a duration.
    public func advanced(by duration: Duration) -> Instant {
      Instant(offset: offset + duration)
    }

    /// Returns the duration from this instant to another one.
    public func duration(to other: Instant) -> Duration {
      other.offset - offset
    }

    /// Returns whether an instant is earlier than another one.
    public static func < (lhs: Instant, rhs: Instant) -> Bool {
      lhs.offset < rhs.offset
    }
  }

  private struct Sleeper {
    let id: UInt64
    let deadline: Instant
    let continuation: CheckedContinuation<Void, any Error>
  }

  private var nextDeadline: Instant? {
    lock.withLock { sleepers.map(\.deadline).min() }
  }

  /// Returns the next deadline; nil if no task sleeps after many turns of the other tasks.
  private func nextDeadlineAfterTurns() async -> Instant? {
    for _ in 0..<10 where nextDeadline == nil { await Task.megaYield() }
    return nextDeadline
  }

  private func makeID() -> UInt64 {
    lock.withLock {
      nextID += 1
      return nextID
    }
  }

  private func add(_ sleeper: Sleeper) {
    let outcome: Result<Void, any Error>? = lock.withLock {
      // A task is marked as cancelled before its handler runs. If the handler ran too early to find
      // this sleeper, the mark is visible here.
      if Task.isCancelled { return .failure(CancellationError()) }
      if sleeper.deadline < time { return .success(()) }
      sleepers.append(sleeper)
      return nil
    }
    if let outcome { sleeper.continuation.resume(with: outcome) }
  }

  private func remove(_ id: UInt64) -> Sleeper? {
    lock.withLock {
      sleepers.firstIndex { $0.id == id }.map { sleepers.remove(at: $0) }
    }
  }

  /// Wakes the first sleeper up to a deadline; among equal deadlines, the one that has
  /// slept longest.
  ///
  /// - Returns: Whether there was one. If not, the clock shows the deadline.
  private func wakeNext(until deadline: Instant) -> Bool {
    let sleeper: Sleeper? = lock.withLock {
      let first = sleepers.indices.min {
        (sleepers[$0].deadline, sleepers[$0].id) < (sleepers[$1].deadline, sleepers[$1].id)
      }
      guard let first, sleepers[first].deadline <= deadline else {
        time = max(time, deadline)
        return nil
      }
      time = max(time, sleepers[first].deadline)
      return sleepers.remove(at: first)
    }
    sleeper?.continuation.resume()
    return sleeper != nil
  }
}
