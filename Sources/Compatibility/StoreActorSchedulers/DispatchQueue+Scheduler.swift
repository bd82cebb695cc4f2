public import Foundation
import StoreActor

extension DispatchQueue: Scheduler {
  /// The time since the machine started, without the time that it slept.
  public var now: SchedulerTime {
    SchedulerTime(offset: .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds)))
  }

  /// Runs work on the main actor, after the queue reaches it.
  public func schedule(_ action: @escaping @MainActor () -> Void) {
    async { onMainActor(action) }
  }

  /// Runs work at a time.
  public func schedule(after date: SchedulerTime, _ action: @escaping @MainActor () -> Void) {
    let (seconds, attoseconds) = date.offset.components
    let nanoseconds = Swift.max(0, seconds) * 1_000_000_000 + attoseconds / 1_000_000_000
    let deadline = DispatchTime(uptimeNanoseconds: UInt64(clamping: nanoseconds))
    asyncAfter(deadline: deadline) { onMainActor(action) }
  }

  /// Returns the queue as a scheduler that tests can replace.
  public func eraseToAnyScheduler() -> AnyScheduler<DispatchQueue> {
    AnyScheduler(self)
  }

  /// A scheduler for tests, which control its time.
  public static var test: TestSchedulerOf<DispatchQueue> { TestScheduler() }

  /// A scheduler that runs all work at once, without a passage of time.
  public static var immediate: ImmediateScheduler<DispatchQueue> { ImmediateScheduler() }

  /// A scheduler that must not be used, and that reports each use.
  public static var unimplemented: UnimplementedScheduler<DispatchQueue> {
    UnimplementedScheduler("DispatchQueue")
  }

  /// A scheduler that must not be used, and that reports each use.
  public static var failing: UnimplementedScheduler<DispatchQueue> { unimplemented }
}
