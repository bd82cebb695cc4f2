/// A type of case paths that tells which case a value is of: `Action.allCasePaths[action]`.
public protocol CasePathReflectable<Root> {
  /// The enum whose cases these are.
  associatedtype Root: CasePathable

  /// The key path of the case that a value is of.
  subscript(root: Root) -> PartialCaseKeyPath<Root> { get }
}

extension CasePathable where AllCasePaths: CasePathReflectable<Self> {
  /// The key path of the case that this is of: `action.case == \.tapped`.
  public var `case`: PartialCaseKeyPath<Self> { Self.allCasePaths[self] }
}
