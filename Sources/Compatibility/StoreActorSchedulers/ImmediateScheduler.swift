import StoreActor

/// A scheduler that runs all work at once, without a passage of time.
public struct ImmediateScheduler<Base: Scheduler>: Scheduler {
  /// Creates an immediate scheduler.
  public init() {}

  /// The scheduler's time, which is always zero.
  public var now: SchedulerTime { SchedulerTime(offset: .zero) }

  /// Runs work at once.
  public func schedule(_ action: @escaping @MainActor () -> Void) {
    onMainActor(action)
  }

  /// Runs work at once.
  public func schedule(after date: SchedulerTime, _ action: @escaping @MainActor () -> Void) {
    onMainActor(action)
  }

  /// Runs work at once, and only once, since repetitions would not end.
  ///
  /// - Parameters:
  ///   - date: The time of the first run, which is ignored.
  ///   - interval: The time between two runs, which is ignored.
  ///   - action: The work.
  /// - Returns: A cancellable without effect.
  public func schedule(
    after date: SchedulerTime,
    interval: SchedulerTime.Stride,
    _ action: @escaping @MainActor () -> Void,
  ) -> AnyCancellable {
    onMainActor(action)
    return AnyCancellable {}
  }

  /// Returns the scheduler as one that tests can replace.
  public func eraseToAnyScheduler() -> AnyScheduler<Base> {
    AnyScheduler(self)
  }
}
