/// A clock of any type, with instants of one type.
public final class AnyClock<Duration: DurationProtocol & Hashable>: Clock {
  private let currentInstant: @Sendable () -> Instant
  private let resolution: @Sendable () -> Duration
  private let wait: @Sendable (_ deadline: Instant, _ tolerance: Duration?) async throws -> Void

  /// Erases the type of a clock; its instants count from now.
  public init<C: Clock>(_ clock: C) where C.Duration == Duration {
    let start = clock.now
    currentInstant = { Instant(offset: start.duration(to: clock.now)) }
    resolution = { clock.minimumResolution }
    wait = { deadline, tolerance in
      try await clock.sleep(until: start.advanced(by: deadline.offset), tolerance: tolerance)
    }
  }

  /// The time that has passed on the clock since it was erased.
  public var now: Instant { currentInstant() }

  /// The clock's resolution.
  public var minimumResolution: Duration { resolution() }

  /// Waits on the clock.
  ///
  /// - Throws: The errors of that clock: `CancellationError` if the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try await wait(deadline, tolerance)
  }
}

extension AnyClock {
  /// A point in the time of a clock of any type.
  public struct Instant: InstantProtocol {
    fileprivate let offset: Duration

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
