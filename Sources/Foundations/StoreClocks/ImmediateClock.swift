import Foundation
import StoreConcurrency

/// A clock whose sleeps return immediately.
///
/// Sendable because `time` is accessed only while `lock` is held.
public final class ImmediateClock<Duration: DurationProtocol & Hashable>: Clock,
  @unchecked Sendable
{
  private let lock = NSLock()
  private var time: Instant

  /// Creates a clock that shows an instant.
  public init(now: Instant = Instant()) {
    time = now
  }

  /// The latest deadline of a sleep.
  public var now: Instant { lock.withLock { time } }

  /// Zero: this clock accepts sleeps of any duration.
  public var minimumResolution: Duration { .zero }

  /// Sets the clock to a deadline, and lets other tasks run.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    lock.withLock { time = max(time, deadline) }
    await Task.megaYield()
    try Task.checkCancellation()
  }
}

extension ImmediateClock {
  /// A point in the time of an ``ImmediateClock``.
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
}

extension ImmediateClock where Duration == Swift.Duration {
  /// Creates a clock that shows its first instant.
  public convenience init() {
    self.init(now: Instant())
  }
}

extension Clock where Self == ImmediateClock<Swift.Duration> {
  /// A clock whose sleeps return immediately.
  public static var immediate: ImmediateClock<Swift.Duration> { ImmediateClock() }
}
