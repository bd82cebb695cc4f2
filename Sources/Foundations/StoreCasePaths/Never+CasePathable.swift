extension Never: CasePathable, CasePathIterable {
  /// The case paths of a type without cases.
  public struct AllCasePaths: CasePathReflectable, Sendable, Sequence {
    /// The key path for a value that cannot exist.
    public subscript(root: Never) -> PartialCaseKeyPath<Never> {
      \.never
    }

    /// Lists no key paths.
    public func makeIterator() -> IndexingIterator<[PartialCaseKeyPath<Never>]> {
      [].makeIterator()
    }
  }

  /// The case paths of a type without cases.
  public static var allCasePaths: AllCasePaths { AllCasePaths() }
}

extension Case {
  /// A case that never occurs, for a reducer without its own actions: `\.never`.
  ///
  /// It is a member by dynamic lookup, like a case, so that a case of that name takes precedence.
  @_disfavoredOverload
  public subscript(
    dynamicMember keyPath: any KeyPath<_NeverCasePaths, Void> & Sendable
  ) -> Case<Never> {
    _$appending(AnyCasePath(_$name: "never", embed: absurd, extract: { _ in nil }))
  }
}

/// The case path that every type has: the case that never occurs.
public struct _NeverCasePaths: Sendable {
  /// A case that never occurs.
  public var never: Void { () }
}

/// Returns any type from a value that cannot exist.
@Sendable
private func absurd<Value>(_: Never) -> Value {}
