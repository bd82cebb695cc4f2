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
  /// A case that never is, for a reducer that has no actions of its own.
  public var never: Case<Never> {
    _$appending(AnyCasePath(_$name: "never", embed: absurd, extract: { _ in nil }))
  }
}

/// Anything, from a value that cannot be.
@Sendable
private func absurd<Value>(_: Never) -> Value {}
