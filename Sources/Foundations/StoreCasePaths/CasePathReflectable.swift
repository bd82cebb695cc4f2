/// A type of case paths that returns the case of a value: `Action.allCasePaths[action]`.
public protocol CasePathReflectable<Root> {
  /// The enum whose cases these are.
  associatedtype Root: CasePathable

  /// Returns the key path of a value's case.
  subscript(root: Root) -> PartialCaseKeyPath<Root> { get }
}

extension CasePathable where AllCasePaths: CasePathReflectable<Self> {
  /// The key path of this value's case: `action.case == \.tapped`.
  public var `case`: PartialCaseKeyPath<Self> { Self.allCasePaths[self] }
}
