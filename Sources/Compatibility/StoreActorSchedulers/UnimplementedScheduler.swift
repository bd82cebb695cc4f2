import IssueReporting
import StoreActor

/// A scheduler that must not be used: it is reported when it is.
public struct UnimplementedScheduler<Base: Scheduler>: Scheduler {
  private let prefix: String

  /// Creates one.
  ///
  /// - Parameter prefix: What the report calls it.
  public init(_ prefix: String = "Scheduler") {
    self.prefix = prefix
  }

  /// The beginning of time; asking is reported.
  public var now: SchedulerTime {
    report("now")
    return SchedulerTime(offset: .zero)
  }

  /// Reports, and does the work at once.
  public func schedule(_ action: @escaping @MainActor () -> Void) {
    report("schedule(_:)")
    onMainActor(action)
  }

  /// Reports, and does the work at once.
  public func schedule(after date: SchedulerTime, _ action: @escaping @MainActor () -> Void) {
    report("schedule(after:_:)")
    onMainActor(action)
  }

  /// The same scheduler as one that tests can replace.
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
