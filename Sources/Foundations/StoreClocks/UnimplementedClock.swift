import IssueReporting

/// A clock whose every use is reported as an issue: the clock of tests that expect no time to pass.
public final class UnimplementedClock<Duration: DurationProtocol & Hashable>: Clock {
  private let base: AnyClock<Duration>
  private let name: String

  /// A clock that reports each use of it, and then does as another clock.
  ///
  /// - Parameters:
  ///   - base: Does what is asked of this clock, after the report.
  ///   - name: The clock's name in a report.
  public init<C: Clock>(_ base: C, name: String = "\(C.self)") where C.Duration == Duration {
    self.base = AnyClock(base)
    self.name = name
  }

  /// Reports the use, and gives the other clock's time.
  public var now: Instant {
    reportIssue("Unimplemented: \(name).now")
    return Instant(base: base.now)
  }

  /// Reports the use, and gives the other clock's resolution.
  public var minimumResolution: Duration {
    reportIssue("Unimplemented: \(name).minimumResolution")
    return base.minimumResolution
  }

  /// Reports the use, and waits on the other clock.
  ///
  /// - Throws: What that clock throws: `CancellationError` when the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    reportIssue("Unimplemented: \(name).sleep")
    try await base.sleep(until: deadline.base, tolerance: tolerance)
  }
}

extension UnimplementedClock {
  /// A point in the time of an ``UnimplementedClock``.
  public struct Instant: InstantProtocol {
    fileprivate let base: AnyClock<Duration>.Instant

    /// The instant so much later.
    public func advanced(by duration: Duration) -> Instant {
      Instant(base: base.advanced(by: duration))
    }

    /// How much later another instant is.
    public func duration(to other: Instant) -> Duration {
      base.duration(to: other.base)
    }

    /// Whether an instant is earlier than another one.
    public static func < (lhs: Instant, rhs: Instant) -> Bool {
      lhs.base < rhs.base
    }
  }
}

extension UnimplementedClock where Duration == Swift.Duration {
  /// A clock that reports each use of it, and on which no sleep takes any time.
  public convenience init(name: String = "Clock") {
    self.init(ImmediateClock(), name: name)
  }
}

extension Clock where Self == UnimplementedClock<Swift.Duration> {
  /// A clock that reports each use of it, and on which no sleep takes any time.
  public static func unimplemented(
    name: String = "Clock"
  ) -> UnimplementedClock<Swift.Duration> {
    UnimplementedClock(name: name)
  }
}
