import IssueReporting

/// Which test is running, where that can be told.
///
/// What a test has made, such as a dependency's default, is kept under its identity, so that no
/// test sees what another one has left.
package struct TestIdentity: Hashable, Sendable {
  /// The case of a test that runs several times, or several times over, set by who runs it.
  @TaskLocal package static var runningCase: UInt64?

  private let test: TestContext.Testing.Test.ID?
  private let testCase: UInt64?

  /// The test of the current task; nil outside of tests, and in those of XCTest, which run one
  /// after the other and are told apart by ``TestObserving``.
  package static var current: TestIdentity? {
    guard isTesting else { return nil }
    let testCase = runningCase
    if case .swiftTesting(let testing?) = TestContext.current {
      return TestIdentity(test: testing.test.id, testCase: testCase)
    }
    if testCase != nil { return TestIdentity(test: nil, testCase: testCase) }
    observeTests()
    return nil
  }

  /// Forgets the defaults that were made in this test.
  package func forgetDefaults() {
    DependencyDefaults.shared.removeAll(of: self)
  }

  /// Begins, once, to watch tests that have no identity.
  private static func observeTests() {
    _ = observation
  }

  private static let observation: Void = {
    observer?.observeTests { DependencyDefaults.shared.removeUnidentified() }
  }()

  /// The observer of the module for tests, if that is linked: this module knows no test framework.
  private static var observer: (any TestObserving.Type)? {
    _typeByName("12StoreTesting14XCTestObserverC") as? any TestObserving.Type
  }
}

/// Somebody who knows when a test begins that has no identity.
package protocol TestObserving {
  /// Calls a closure before each test from now on, and after it.
  static func observeTests(_ onChange: @escaping @Sendable () -> Void)
}
