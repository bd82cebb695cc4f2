import IssueReporting

/// The identity of the running test, if it is known.
///
/// Objects of a test, such as a dependency's default, are stored under its identity, so that tests
/// do not share them.
package struct TestIdentity: Hashable, Sendable {
  /// The case of a test with several cases or repetitions, set by the test's runner.
  @TaskLocal package static var runningCase: UInt64?

  private let test: TestContext.Testing.Test.ID?
  private let testCase: UInt64?

  /// The test of the current task; nil outside of tests, and for XCTest, whose tests run one after
  /// the other and are distinguished by ``TestObserving``.
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

  /// Removes the defaults that were created in this test.
  package func forgetDefaults() {
    DependencyDefaults.shared.removeAll(of: self)
  }

  /// Begins to observe tests without an identity; only the first call has an effect.
  private static func observeTests() {
    _ = observation
  }

  private static let observation: Void = {
    observer?.observeTests { DependencyDefaults.shared.removeUnidentified() }
  }()

  /// The observer of the module for tests, if that is linked: this module uses no test framework.
  private static var observer: (any TestObserving.Type)? {
    _typeByName("12StoreTesting14XCTestObserverC") as? any TestObserving.Type
  }
}

/// An observer that knows when a test without an identity begins.
package protocol TestObserving {
  /// Calls a closure before and after each later test.
  static func observeTests(_ onChange: @escaping @Sendable () -> Void)
}
