import Foundation
import StoreConcurrency

/// A clock on which no sleep takes any time.
///
/// Sendable because `time` is only touched while `lock` is held.
public final class ImmediateClock<Duration: DurationProtocol & Hashable>: Clock,
  @unchecked Sendable
{
  private let lock = NSLock()
  private var time: Instant

  /// A clock that shows an instant.
  public init(now: Instant = Instant()) {
    time = now
  }

  /// The latest deadline that was slept for.
  public var now: Instant { lock.withLock { time } }

  /// Zero: this clock can be asked to sleep for any time.
  public var minimumResolution: Duration { .zero }

  /// Puts the clock forward to a deadline, and lets other tasks run.
  ///
  /// - Throws: `CancellationError` when the task is cancelled.
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
}

extension ImmediateClock where Duration == Swift.Duration {
  /// A clock that shows its first instant.
  public convenience init() {
    self.init(now: Instant())
  }
}

extension Clock where Self == ImmediateClock<Swift.Duration> {
  /// A clock on which no sleep takes any time.
  public static var immediate: ImmediateClock<Swift.Duration> { ImmediateClock() }
}
