public import StoreActor

/// The performer of builds: a dependency, because a daemon runs a command and a test does not.
public struct Builder: Sendable {
  /// Performs a build and returns whether it has passed.
  ///
  /// Canceling the build cancels its task.
  public var perform: @Sendable (Build) async -> Bool

  /// Creates a performer.
  public init(perform: @escaping @Sendable (Build) async -> Bool) {
    self.perform = perform
  }
}

extension Builder: TestDependencyKey {
  /// Fails the test: no build is expected.
  public static let testValue = Builder { build in
    reportIssue("The test performs no build, but #\(build.id) has begun.")
    return false
  }
}

extension DependencyValues {
  /// The performer of builds, which a daemon sets.
  public var builder: Builder {
    get { self[Builder.self] }
    set { self[Builder.self] = newValue }
  }
}
