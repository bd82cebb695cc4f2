extension Optional: CasePathable, CasePathIterable {
  /// The case paths of an optional, and through it those of what it wraps.
  @dynamicMemberLookup
  public struct AllCasePaths: CasePathReflectable, Sendable, Sequence {
    /// The absence of a value.
    public var none: AnyCasePath<Optional, Void> {
      AnyCasePath(_$name: "none", embed: { .none }, extract: { $0 == nil ? () : nil })
    }

    /// A value that is there.
    public var some: AnyCasePath<Optional, Wrapped> {
      AnyCasePath(_$name: "some", embed: { .some($0) }, extract: { $0 })
    }

    /// The key path of the case that an optional is of.
    public subscript(root: Wrapped?) -> PartialCaseKeyPath<Wrapped?> {
      root == nil ? \.none : \.some
    }

    /// A case of the wrapped enum; embedding nil gives nil.
    @_disfavoredOverload
    public subscript<Member>(
      dynamicMember keyPath: any KeyPath<Wrapped.AllCasePaths, AnyCasePath<Wrapped, Member>>
        & Sendable
    ) -> AnyCasePath<Optional, Member?> where Wrapped: CasePathable {
      Wrapped.allCasePaths[keyPath: keyPath].optional
    }

    /// Lists `none` and `some`.
    public func makeIterator() -> IndexingIterator<[PartialCaseKeyPath<Wrapped?>]> {
      [\Optional.Cases.none, \Optional.Cases.some].makeIterator()
    }
  }

  /// The case paths of an optional.
  public static var allCasePaths: AllCasePaths { AllCasePaths() }
}

extension AnyCasePath {
  /// The same path where both ends may be nil.
  fileprivate var optional: AnyCasePath<Root?, Value?> {
    AnyCasePath<Root?, Value?>(
      name: name,
      embed: { value in value.map { embed($0) } },
      extract: { root in
        guard let root, let value = extract(from: root) else { return nil }
        return .some(value)
      },
    )
  }
}
