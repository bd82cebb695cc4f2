import StoreConcurrency

/// A key of ``DependencyValues`` without its live value.
///
/// It lets a feature's module declare what it needs while another module, with the heavy imports,
/// says what that is in a program: there the key conforms to ``DependencyKey``.
public protocol TestDependencyKey<Value>: SendableMetatype {
  /// The type of the dependency; the key's own type, unless it says otherwise.
  associatedtype Value: Sendable = Self

  /// The value for a preview; the test one, unless the key says otherwise.
  static var previewValue: Value { get }

  /// The value for a test.
  static var testValue: Value { get }
}

extension TestDependencyKey {
  /// The test value.
  public static var previewValue: Value { testValue }

  /// Whether a test value that stands for none should report that it is used: not while it is only
  /// looked at in order to set a part of it.
  ///
  /// Where it was not to report, and the value is used by somebody who has nothing set in it, it is
  /// made once more, and should report then.
  public static var shouldReportUnimplemented: Bool {
    guard DependencyValues.isSetting else { return true }
    DependencyAccess.omission?.setValue(.theirs)
    return false
  }
}
