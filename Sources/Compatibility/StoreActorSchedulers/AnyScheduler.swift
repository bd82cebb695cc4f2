public import Foundation

/// A scheduler that stands for one type of scheduler, whatever it really is.
///
/// An environment has one of these, so that the app can use a queue and tests something that they
/// control.
public struct AnyScheduler<Base: Scheduler>: Scheduler {
  private let base: any Scheduler

  /// Creates one that does what another scheduler does.
  public init(_ scheduler: some Scheduler) {
    base = scheduler
  }

  /// The scheduler's time.
  public var now: SchedulerTime { base.now }

  /// Does work soon.
  public func schedule(_ action: @escaping @MainActor () -> Void) {
    base.schedule(action)
  }

  /// Does work at a time.
  public func schedule(after date: SchedulerTime, _ action: @escaping @MainActor () -> Void) {
    base.schedule(after: date, action)
  }

  /// Does work at a time, and again at the end of each interval after it, until it is cancelled.
  ///
  /// - Parameters:
  ///   - date: When to begin.
  ///   - interval: The time between two times.
  ///   - action: The work.
  /// - Returns: What ends it; it ends too when that is let go.
  public func schedule(
    after date: SchedulerTime,
    interval: SchedulerTime.Stride,
    _ action: @escaping @MainActor () -> Void,
  ) -> AnyCancellable {
    base.schedule(after: date, interval: interval, action)
  }

  /// Itself.
  public func eraseToAnyScheduler() -> AnyScheduler<Base> {
    self
  }
}

/// A scheduler that stands for one type of scheduler: `AnySchedulerOf<DispatchQueue>`.
public typealias AnySchedulerOf<Base: Scheduler> = AnyScheduler<Base>

extension AnyScheduler where Base == DispatchQueue {
  /// The main queue.
  public static var main: Self { Self(DispatchQueue.main) }
}

extension AnyScheduler {
  /// A scheduler that does everything at once, with no time passing.
  public static var immediate: Self { Self(ImmediateScheduler<Base>()) }

  /// A scheduler that must not be used: it is reported when it is.
  public static var unimplemented: Self { unimplemented("AnyScheduler") }

  /// A scheduler that must not be used: it is reported when it is.
  public static var failing: Self { unimplemented }

  /// A scheduler that must not be used: it is reported, by a name, when it is.
  public static func unimplemented(_ prefix: String) -> Self {
    Self(UnimplementedScheduler<Base>(prefix))
  }
}
