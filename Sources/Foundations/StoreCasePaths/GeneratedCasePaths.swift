/// Case paths that `@CasePathable` has written: a property for each case, and nothing else that a
/// case may be called.
///
/// What `Sequence` and ``CasePathable`` want besides is in extensions. There it is no second
/// declaration of a name, so that a case may be called `makeIterator`, or `allCasePaths`.
public protocol _GeneratedCasePaths: CasePathReflectable, Sendable, Sequence
where Element == PartialCaseKeyPath<Root> {
  /// The case paths; there is nothing in them to tell apart.
  init()

  /// The key paths of all cases, in source order.
  var _$list: [PartialCaseKeyPath<Root>] { get }
}

extension _GeneratedCasePaths {
  /// Lists the key paths of all cases, in source order.
  public func makeIterator() -> IndexingIterator<[PartialCaseKeyPath<Root>]> {
    _$list.makeIterator()
  }
}

extension CasePathable where AllCasePaths: _GeneratedCasePaths {
  /// The case paths of all cases.
  @inlinable
  public static var allCasePaths: AllCasePaths { AllCasePaths() }
}
