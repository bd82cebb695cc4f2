extension Never: CasePathable, CasePathIterable {
  /// The case paths of a type without cases.
  public struct AllCasePaths: CasePathReflectable, Sendable, Sequence {
    /// The key path of a value that cannot be.
    public subscript(root: Never) -> PartialCaseKeyPath<Never> {
      \.never
    }

    /// Lists nothing.
    public func makeIterator() -> IndexingIterator<[PartialCaseKeyPath<Never>]> {
      [].makeIterator()
    }
  }

  /// The case paths of a type without cases.
  public static var allCasePaths: AllCasePaths { AllCasePaths() }
}

extension Case {
  /// A case that never is, for a reducer that has no actions of its own: `\.never`.
  ///
  /// It is a member by dynamic lookup, as cases are, so that a case of that name is found first.
  @_disfavoredOverload
  public subscript(
    dynamicMember keyPath: any KeyPath<_NeverCasePaths, Void> & Sendable
  ) -> Case<Never> {
    _$appending(AnyCasePath(_$name: "never", embed: absurd, extract: { _ in nil }))
  }
}

/// What every type has for a case path: the one that never is.
public struct _NeverCasePaths: Sendable {
  /// A case that never is.
  public var never: Void { () }
}

/// Anything, from a value that cannot be.
@Sendable
private func absurd<Value>(_: Never) -> Value {}
