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
/// Sendable because `time` and `sleepers` are only touched while `lock` is held.
public final class TestClock<Duration: DurationProtocol & Hashable>: Clock, @unchecked Sendable {
  private let lock = NSRecursiveLock()
  private var time: Instant
  private var sleepers: [Sleeper] = []
  private var nextID: UInt64 = 0

  /// A clock that shows an instant.
  public init(now: Instant = Instant()) {
    time = now
  }

  /// The instant up to which the test has let time pass.
  public var now: Instant { lock.withLock { time } }

  /// Zero: this clock can be advanced by any amount.
  public var minimumResolution: Duration { .zero }

  /// Waits until the test has let time pass as far as a deadline.
  ///
  /// A deadline that lies behind ends the wait at once, one that is now at the next advance.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before.
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

  /// Lets time pass, waking what sleeps on the way in the order of its deadlines.
  ///
  /// After each deadline all tasks get time to react, also to sleep again.
  public func advance(by duration: Duration = .zero) async {
    await advance(to: now.advanced(by: duration))
  }

  /// Lets time pass up to a deadline, waking what sleeps on the way in the order of its deadlines.
  public func advance(to deadline: Instant) async {
    repeat { await Task.megaYield() } while wakeNext(until: deadline)
    await Task.megaYield()
  }

  /// Fails when something still sleeps, as an effect does that a test has forgotten.
  ///
  /// - Throws: ``SuspensionError``
  public func checkSuspension() async throws {
    await Task.megaYield()
    guard nextDeadline == nil else { throw SuspensionError() }
  }

  /// Lets time pass until nothing sleeps any more, and reports when that takes too long.
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
  /// A clock that shows its first instant.
  public convenience init() {
    self.init(now: Instant())
  }
}

extension TestClock {
  /// A point in the time of a ``TestClock``.
  public struct Instant: InstantProtocol {
    private let offset: Duration

    /// An instant so long after the first one.
    public init(offset: Duration = .zero) {
      self.offset = offset
    }

    /// The instant so much later.
    public func advanced(by duration: Duration) -> Instant {
      Instant(offset: offset + duration)
    }

    /// How much later another instant is.
    public func duration(to other: Instant) -> Duration {
      other.offset - offset
    }

    /// Whether an instant is earlier than another one.
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

  /// The next deadline; nil when nothing sleeps, nor has begun to in many turns of the others.
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
      // A task is marked as cancelled before its handler runs: where the handler came too early to
      // find this sleeper, the mark is seen here.
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

  /// Wakes the first sleeper up to a deadline; of equal ones, the one that has slept the longest.
  ///
  /// - Returns: Whether there was one. If not, time has passed up to the deadline.
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
