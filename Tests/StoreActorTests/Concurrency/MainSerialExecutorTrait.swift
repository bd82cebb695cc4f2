import StoreActor
import Testing

/// Runs each test of a suite with the main serial executor.
struct MainSerialExecutorTrait: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func scopeProvider(for test: Test, testCase: Test.Case?) -> MainSerialExecutorTrait? {
    testCase == nil ? nil : self
  }

  func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void,
  ) async throws {
    try await withMainSerialExecutor {
      try await function()
    }
  }
}

extension Trait where Self == MainSerialExecutorTrait {
  /// Runs each test with the main serial executor, so that its tasks take turns in one order.
  static var mainSerialExecutor: MainSerialExecutorTrait { MainSerialExecutorTrait() }
}
