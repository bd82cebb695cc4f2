public import Foundation
public import StoreActor

extension DependencyValues {
  /// The main queue, as a scheduler that tests can replace.
  ///
  /// In a test: `$0.mainQueue = .immediate`, or a `DispatchQueue.test` whose time the test
  /// controls: `$0.mainQueue = mainQueue.eraseToAnyScheduler()`.
  public var mainQueue: AnySchedulerOf<DispatchQueue> {
    get { self[MainQueueKey.self] }
    set { self[MainQueueKey.self] = newValue }
  }

  private enum MainQueueKey: DependencyKey {
    static let liveValue: AnySchedulerOf<DispatchQueue> = .main
    static let testValue: AnySchedulerOf<DispatchQueue> =
      .unimplemented("@Dependency(\\.mainQueue)")
  }
}
