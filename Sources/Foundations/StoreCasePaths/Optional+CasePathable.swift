extension Optional: CasePathable, CasePathIterable {
  /// The case paths of an optional, and those of the wrapped enum.
  @dynamicMemberLookup
  public struct AllCasePaths: CasePathReflectable, Sendable, Sequence {
    /// The absence of a value.
    public var none: AnyCasePath<Optional, Void> {
      AnyCasePath(_$name: "none", embed: { .none }, extract: { $0 == nil ? () : nil })
    }

    /// A wrapped value.
    public var some: AnyCasePath<Optional, Wrapped> {
      AnyCasePath(_$name: "some", embed: { .some($0) }, extract: { $0 })
    }

    /// Returns the key path of an optional's case.
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
  /// The same path between the optional types.
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
