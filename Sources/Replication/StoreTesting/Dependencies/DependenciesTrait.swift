#if canImport(Testing)
public import StoreActor
import Synchronization
public import Testing

/// Sets dependencies for a test, or for each test of a suite.
///
/// ```swift
/// @Test(.dependency(\.uuid, .incrementing))
/// func addsTodo() async { … }
///
/// @Suite(.dependencies { $0.date = .constant(.distantPast) })
/// struct TodosTests { … }
/// ```
///
/// With any of these traits, each case of a test with arguments also starts with default values of
/// its own.
public struct DependenciesTrait: TestScoping, TestTrait, SuiteTrait {
  private let updateValues: @Sendable (inout DependencyValues) async throws -> Void

  fileprivate init(
    _ updateValues: @escaping @Sendable (inout DependencyValues) async throws -> Void
  ) {
    self.updateValues = updateValues
  }

  /// Always true: a suite's trait applies to all its tests.
  public var isRecursive: Bool { true }

  /// Returns this trait for a test's case, and nil for a suite or a whole test.
  public func scopeProvider(for test: Test, testCase: Test.Case?) -> DependenciesTrait? {
    testCase == nil ? nil : self
  }

  /// Runs a test's case with the dependencies.
  public func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void,
  ) async throws {
    guard TestIdentity.runningCase == nil else { return try await run(function) }
    let number = lastCase.add(1, ordering: .relaxed).newValue
    try await TestIdentity.$runningCase.withValue(number) {
      // The default values are not read after the test has ended.
      defer { TestIdentity.current?.forgetDefaults() }
      try await run(function)
    }
  }

  private func run(_ function: @concurrent @Sendable () async throws -> Void) async throws {
    try await withDependencies {
      try await updateValues(&$0)
    } operation: {
      try await function()
    }
  }
}

/// The number of cases that have begun so far.
private let lastCase = Atomic<UInt64>(0)

extension Trait where Self == DependenciesTrait {
  /// Gives each case of a test default values of its own.
  public static var dependencies: Self {
    Self { _ in }
  }

  /// Sets a dependency.
  ///
  /// - Parameters:
  ///   - keyPath: The dependency.
  ///   - value: Its value, recreated for each case of a test.
  /// - Returns: The trait.
  public static func dependency<Value>(
    _ keyPath: any WritableKeyPath<DependencyValues, Value> & Sendable,
    _ value: @autoclosure @escaping @Sendable () throws -> Value,
  ) -> Self {
    Self { $0[keyPath: keyPath] = try value() }
  }

  /// Sets a dependency that is its own key.
  ///
  /// - Parameter value: The dependency's value, recreated for each case of a test.
  /// - Returns: The trait.
  public static func dependency<Value: TestDependencyKey>(
    _ value: @autoclosure @escaping @Sendable () throws -> Value
  ) -> Self where Value == Value.Value {
    Self { $0[Value.self] = try value() }
  }

  /// Sets dependencies.
  ///
  /// - Parameter updateValues: Changes the values that the test sees.
  /// - Returns: The trait.
  public static func dependencies(
    _ updateValues: @escaping @Sendable (inout DependencyValues) async throws -> Void
  ) -> Self {
    Self(updateValues)
  }
}
#endif
