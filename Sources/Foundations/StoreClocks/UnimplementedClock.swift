import IssueReporting

/// A clock whose every use is reported as an issue: the clock of tests that expect no time to pass.
public final class UnimplementedClock<Duration: DurationProtocol & Hashable>: Clock {
  private let base: AnyClock<Duration>
  private let name: String

  /// Creates a clock that reports each use, and then behaves like another clock.
  ///
  /// - Parameters:
  ///   - base: The clock that is used after the report.
  ///   - name: The clock's name in a report.
  public init<C: Clock>(_ base: C, name: String = "\(C.self)") where C.Duration == Duration {
    self.base = AnyClock(base)
    self.name = name
  }

  /// Reports the use, and returns the other clock's time.
  public var now: Instant {
    reportIssue("Unimplemented: \(name).now")
    return Instant(base: base.now)
  }

  /// Reports the use, and returns the other clock's resolution.
  public var minimumResolution: Duration {
    reportIssue("Unimplemented: \(name).minimumResolution")
    return base.minimumResolution
  }

  /// Reports the use, and waits on the other clock.
  ///
  /// - Throws: The errors of that clock: `CancellationError` if the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    reportIssue("Unimplemented: \(name).sleep")
    try await base.sleep(until: deadline.base, tolerance: tolerance)
  }
}

extension UnimplementedClock {
  /// A point in the time of an ``UnimplementedClock``.
  public struct Instant: InstantProtocol {
    fileprivate let base: AnyClock<Duration>.Instant

    /// Returns the instant that is later by a duration.
    public func advanced(by duration: Duration) -> Instant {
      Instant(base: base.advanced(by: duration))
    }

    /// Returns the duration from this instant to another one.
    public func duration(to other: Instant) -> Duration {
      base.duration(to: other.base)
    }

    /// Returns whether an instant is earlier than another one.
    public static func < (lhs: Instant, rhs: Instant) -> Bool {
      lhs.base < rhs.base
    }
  }
}

extension UnimplementedClock where Duration == Swift.Duration {
  /// Creates a clock that reports each use, and whose sleeps return immediately.
  public convenience init(name: String = "Clock") {
    self.init(ImmediateClock(), name: name)
  }
}

extension Clock where Self == UnimplementedClock<Swift.Duration> {
  /// Returns a clock that reports each use, and whose sleeps return immediately.
  public static func unimplemented(
    name: String = "Clock"
  ) -> UnimplementedClock<Swift.Duration> {
    UnimplementedClock(name: name)
  }
}
