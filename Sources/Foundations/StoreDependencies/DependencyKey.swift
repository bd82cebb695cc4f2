/// A key of ``DependencyValues``, with the value that programs use.
///
/// ```swift
/// struct NumberFactClient: Sendable { var fetch: @Sendable (Int) async throws -> String }
///
/// extension NumberFactClient: DependencyKey {
///   static let liveValue = NumberFactClient { try await downloadedFact(about: $0) }
/// }
/// extension DependencyValues {
///   var numberFact: NumberFactClient {
///     get { self[NumberFactClient.self] }
///     set { self[NumberFactClient.self] = newValue }
///   }
/// }
/// ```
///
/// Each value is created once: the live one per process, the test one per test. Tests of XCTest are
/// distinguished if the test target links `StoreTesting`; those of Swift Testing always are.
public protocol DependencyKey<Value>: TestDependencyKey {
  /// The type of the dependency; by default the key's own type.
  associatedtype Value = Self

  /// The value for a running program.
  static var liveValue: Value { get }

  /// The value for a preview; by default the live one.
  static var previewValue: Value { get }

  /// The value for a test; by default its use is reported as an issue.
  static var testValue: Value { get }
}

extension DependencyKey {
  /// The live value.
  public static var previewValue: Value { liveValue }

  /// The preview value, after a report that the test has not set the dependency.
  public static var testValue: Value {
    DependencyAccess.current.reportMissingTestValue(of: Self.self)
    return previewValue
  }
}
