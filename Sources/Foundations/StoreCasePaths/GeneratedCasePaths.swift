/// Case paths that `@CasePathable` has generated: a property for each case, and no other member
/// whose name a case may have.
///
/// The other requirements of `Sequence` and ``CasePathable`` are in extensions. There they are not
/// second declarations of a name, so a case may be called `makeIterator`, or `allCasePaths`.
public protocol _GeneratedCasePaths: CasePathReflectable, Sendable, Sequence
where Element == PartialCaseKeyPath<Root> {
  /// Creates the case paths; all instances are equal.
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
