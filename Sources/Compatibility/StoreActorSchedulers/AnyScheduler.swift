public import Foundation

/// A type-erased scheduler, which stands for one type of scheduler.
///
/// An environment contains one, so that the app can use a queue, and tests a scheduler that
/// they control.
public struct AnyScheduler<Base: Scheduler>: Scheduler {
  private let base: any Scheduler

  /// Creates a scheduler that forwards to another one.
  public init(_ scheduler: some Scheduler) {
    base = scheduler
  }

  /// The scheduler's time.
  public var now: SchedulerTime { base.now }

  /// Runs work soon.
  public func schedule(_ action: @escaping @MainActor () -> Void) {
    base.schedule(action)
  }

  /// Runs work at a time.
  public func schedule(after date: SchedulerTime, _ action: @escaping @MainActor () -> Void) {
    base.schedule(after: date, action)
  }

  /// Runs work at a time, and then once in each interval until cancellation.
  ///
  /// - Parameters:
  ///   - date: The time of the first run.
  ///   - interval: The time between two runs.
  ///   - action: The work.
  /// - Returns: A cancellable that ends the repetition when it is cancelled or released.
  public func schedule(
    after date: SchedulerTime,
    interval: SchedulerTime.Stride,
    _ action: @escaping @MainActor () -> Void,
  ) -> AnyCancellable {
    base.schedule(after: date, interval: interval, action)
  }

  /// Returns the scheduler itself.
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
  /// A scheduler that runs all work at once, without a passage of time.
  public static var immediate: Self { Self(ImmediateScheduler<Base>()) }

  /// A scheduler that must not be used, and that reports each use.
  public static var unimplemented: Self { unimplemented("AnyScheduler") }

  /// A scheduler that must not be used, and that reports each use.
  public static var failing: Self { unimplemented }

  /// Returns a scheduler that must not be used, and that reports each use with a name.
  public static func unimplemented(_ prefix: String) -> Self {
    Self(UnimplementedScheduler<Base>(prefix))
  }
}
