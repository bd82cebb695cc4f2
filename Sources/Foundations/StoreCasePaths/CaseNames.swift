/// The names of a case key path's components as they stand in the source, `\.child.tapped`.
///
/// The names come from `@CasePathable`: key paths themselves know none on Linux.
///
/// - Parameter keyPath: A ``CaseKeyPath``, or any other key path.
/// - Returns: The components with their dots behind a backslash; nil when the key path is not one
///   of a ``Case``, or when one of its cases was written by hand without a name.
public func caseName(of keyPath: AnyKeyPath) -> String? {
  guard
    let root = type(of: keyPath).rootType as? any CaseRoot.Type,
    let name = root.name(along: keyPath)
  else { return nil }
  return name.hasPrefix("[") ? "\\\(name)" : "\\.\(name)"
}

extension CasePathIterable {
  /// The names of the cases, in source order; a case that was written by hand without a name is
  /// left out.
  public static var _$caseNames: [String] {
    allCasePaths.compactMap { (Cases()[keyPath: $0] as? any PartialCase)?._$name }
  }
}

/// A ``Case`` of any enum, as the root of a key path whose type is not known.
private protocol CaseRoot {
  static func name(along keyPath: AnyKeyPath) -> String?
}

extension Case: CaseRoot {
  fileprivate static func name(along keyPath: AnyKeyPath) -> String? {
    guard let keyPath = keyPath as? PartialKeyPath<Case> else { return nil }
    return (Case()[keyPath: keyPath] as? any PartialCase)?._$name
  }
}
