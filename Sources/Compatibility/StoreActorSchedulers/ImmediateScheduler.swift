import StoreActor

/// A scheduler that does everything at once, with no time passing.
public struct ImmediateScheduler<Base: Scheduler>: Scheduler {
  /// Creates one.
  public init() {}

  /// The beginning of time, always.
  public var now: SchedulerTime { SchedulerTime(offset: .zero) }

  /// Does work at once.
  public func schedule(_ action: @escaping @MainActor () -> Void) {
    onMainActor(action)
  }

  /// Does work at once.
  public func schedule(after date: SchedulerTime, _ action: @escaping @MainActor () -> Void) {
    onMainActor(action)
  }

  /// Does work at once, and only once: it would never end otherwise.
  ///
  /// - Parameters:
  ///   - date: When to begin.
  ///   - interval: The time between two times.
  ///   - action: The work.
  /// - Returns: What ends it, which has no effect.
  public func schedule(
    after date: SchedulerTime,
    interval: SchedulerTime.Stride,
    _ action: @escaping @MainActor () -> Void,
  ) -> AnyCancellable {
    onMainActor(action)
    return AnyCancellable {}
  }

  /// The same scheduler as one that tests can replace.
  public func eraseToAnyScheduler() -> AnyScheduler<Base> {
    AnyScheduler(self)
  }
}
