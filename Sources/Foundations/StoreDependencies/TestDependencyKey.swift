import StoreConcurrency

/// A key of ``DependencyValues`` without its live value.
///
/// A feature's module can declare its needs with this protocol. Another module, with the heavy
/// imports, provides the live value by a conformance to ``DependencyKey``.
public protocol TestDependencyKey<Value>: SendableMetatype {
  /// The type of the dependency; by default the key's own type.
  associatedtype Value: Sendable = Self

  /// The value for a preview; by default the test one.
  static var previewValue: Value { get }

  /// The value for a test.
  static var testValue: Value { get }
}

extension TestDependencyKey {
  /// The test value.
  public static var previewValue: Value { testValue }

  /// Whether an unimplemented test value should report its use: false while it is read only in
  /// order to set a part of it.
  ///
  /// If such a value is then used without an implementation, it is created again, and reports
  /// the use.
  public static var shouldReportUnimplemented: Bool {
    guard DependencyValues.isSetting else { return true }
    DependencyAccess.omission?.setValue(.theirs)
    return false
  }
}
