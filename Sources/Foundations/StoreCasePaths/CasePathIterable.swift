/// An enum that lists the key paths of its cases: `Array(Action.allCasePaths)`, in source order.
public protocol CasePathIterable: CasePathable
where AllCasePaths: Sequence, AllCasePaths.Element == PartialCaseKeyPath<Self> {}
