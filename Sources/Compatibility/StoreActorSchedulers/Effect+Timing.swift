public import StoreActor

extension Effect {
  /// Delays the effect until a pause in which no other effect with the id was returned.
  ///
  /// ```swift
  /// case .queryChanged:
  ///   return .send(.search)
  ///     .debounce(id: CancelID.search, for: .milliseconds(300), scheduler: mainQueue)
  /// ```
  ///
  /// - Parameters:
  ///   - id: The id of the debounced effects, which also cancels them.
  ///   - interval: The length of the pause.
  ///   - scheduler: The scheduler that measures the time.
  /// - Returns: The effect, delayed.
  public func debounce(
    id: some Hashable & Sendable,
    for interval: SchedulerTime.Stride,
    scheduler: some Scheduler,
  ) -> Self {
    debounce(id: id, for: interval.duration, clock: SchedulerClock(scheduler: scheduler))
  }

  /// Runs at most one effect in each interval.
  ///
  /// - Parameters:
  ///   - id: The id of the throttled effects.
  ///   - interval: The shortest time between two effects.
  ///   - scheduler: The scheduler that measures the time.
  ///   - latest: Whether to keep the last effect of an interval, or the first.
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
