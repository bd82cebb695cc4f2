import IssueReporting
import StoreActor

/// A scheduler that must not be used, and that reports each use.
public struct UnimplementedScheduler<Base: Scheduler>: Scheduler {
  private let prefix: String

  /// Creates an unimplemented scheduler.
  ///
  /// - Parameter prefix: The scheduler's name in reports.
  public init(_ prefix: String = "Scheduler") {
    self.prefix = prefix
  }

  /// Reports the use, and returns the time zero.
  public var now: SchedulerTime {
    report("now")
    return SchedulerTime(offset: .zero)
  }

  /// Reports the use, and runs the work at once.
  public func schedule(_ action: @escaping @MainActor () -> Void) {
    report("schedule(_:)")
    onMainActor(action)
  }

  /// Reports the use, and runs the work at once.
  public func schedule(after date: SchedulerTime, _ action: @escaping @MainActor () -> Void) {
    report("schedule(after:_:)")
    onMainActor(action)
  }

  /// Returns the scheduler as one that tests can replace.
  public func eraseToAnyScheduler() -> AnyScheduler<Base> {
    AnyScheduler(self)
  }

  private func report(_ member: String) {
    reportIssue(
      """
      \(prefix) - An unimplemented scheduler's "\(member)" was used.

      The code under test uses a scheduler that the test has not provided.

      To fix, give the environment "DispatchQueue.test" or ".immediate", or find out why the \
      scheduler is used.
      """
    )
  }
}
