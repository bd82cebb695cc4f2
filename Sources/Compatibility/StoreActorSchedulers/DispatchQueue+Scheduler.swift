public import Foundation
import StoreActor

extension DispatchQueue: Scheduler {
  /// The time since the machine started, without the time that it slept.
  public var now: SchedulerTime {
    SchedulerTime(offset: .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds)))
  }

  /// Does work when the queue comes to it.
  public func schedule(_ action: @escaping @MainActor () -> Void) {
    async { onMainActor(action) }
  }

  /// Does work at a time.
  public func schedule(after date: SchedulerTime, _ action: @escaping @MainActor () -> Void) {
    let (seconds, attoseconds) = date.offset.components
    let nanoseconds = Swift.max(0, seconds) * 1_000_000_000 + attoseconds / 1_000_000_000
    let deadline = DispatchTime(uptimeNanoseconds: UInt64(clamping: nanoseconds))
    asyncAfter(deadline: deadline) { onMainActor(action) }
  }

  /// The same queue as a scheduler that tests can replace.
  public func eraseToAnyScheduler() -> AnyScheduler<DispatchQueue> {
    AnyScheduler(self)
  }

  /// A scheduler for tests whose time passes only when a test says so.
  public static var test: TestSchedulerOf<DispatchQueue> { TestScheduler() }

  /// A scheduler that does everything at once, with no time passing.
  public static var immediate: ImmediateScheduler<DispatchQueue> { ImmediateScheduler() }

  /// A scheduler that must not be used: it is reported when it is.
  public static var unimplemented: UnimplementedScheduler<DispatchQueue> {
    UnimplementedScheduler("DispatchQueue")
  }

  /// A scheduler that must not be used: it is reported when it is.
  public static var failing: UnimplementedScheduler<DispatchQueue> { unimplemented }
}
