public import StoreActor

extension Effect {
  /// Delays the effect until nothing has been returned under the id for a while.
  ///
  /// ```swift
  /// case .queryChanged:
  ///   return .send(.search)
  ///     .debounce(id: CancelID.search, for: .milliseconds(300), scheduler: mainQueue)
  /// ```
  ///
  /// - Parameters:
  ///   - id: What is debounced. The id cancels, too.
  ///   - interval: How long nothing may follow.
  ///   - scheduler: What measures the time.
  /// - Returns: The effect, delayed.
  public func debounce(
    id: some Hashable & Sendable,
    for interval: SchedulerTime.Stride,
    scheduler: some Scheduler,
  ) -> Self {
    debounce(id: id, for: interval.duration, clock: SchedulerClock(scheduler: scheduler))
  }

  /// Lets through at most one effect in each interval.
  ///
  /// - Parameters:
  ///   - id: What is throttled.
  ///   - interval: How far apart two effects are at least.
  ///   - scheduler: What measures the time.
  ///   - latest: Whether the last of those that came within the interval is kept, or the first.
  /// - Returns: The effect, delayed or dropped.
  public func throttle(
    id: some Hashable & Sendable,
    for interval: SchedulerTime.Stride,
    scheduler: some Scheduler,
    latest: Bool,
  ) -> Self {
    throttle(
      id: id,
      for: interval.duration,
      clock: SchedulerClock(scheduler: scheduler),
      latest: latest,
    )
  }
}

/// A scheduler as a clock.
private struct SchedulerClock<S: Scheduler>: Clock {
  struct Instant: InstantProtocol {
    let time: SchedulerTime

    func advanced(by duration: Duration) -> Instant {
      Instant(time: time.advanced(by: SchedulerTime.Stride(duration)))
    }

    func duration(to other: Instant) -> Duration { time.distance(to: other.time).duration }

    static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.time < rhs.time }
  }

  let scheduler: S

  var now: Instant { Instant(time: scheduler.now) }

  var minimumResolution: Duration { .zero }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try await scheduler.sleep(for: now.time.distance(to: deadline.time))
  }
}
