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
/// Each value is made once: the live one once a process, the test one once a test. XCTest's tests
/// are told apart where the test target links `StoreTesting`; those of Swift Testing always are.
public protocol DependencyKey<Value>: TestDependencyKey {
  /// The type of the dependency; the key's own type, unless it says otherwise.
  associatedtype Value = Self

  /// The value for a running program.
  static var liveValue: Value { get }

  /// The value for a preview; the live one, unless the key says otherwise.
  static var previewValue: Value { get }

  /// The value for a test; unless the key says otherwise, using it is reported as an issue.
  static var testValue: Value { get }
}

extension DependencyKey {
  /// The live value.
  public static var previewValue: Value { liveValue }

  /// The preview value, after a report that the test did not say what it wants here.
  public static var testValue: Value {
    DependencyAccess.current.reportMissingTestValue(of: Self.self)
    return previewValue
  }
}
