/// Returns the names of a case key path's components as in the source, `\.child.tapped`.
///
/// The names are from `@CasePathable`: on Linux key paths themselves do not contain names.
///
/// - Parameter keyPath: A ``CaseKeyPath``, or any other key path.
/// - Returns: A backslash and the components with their dots; nil if the key path is not one of a
///   ``Case``, or if one of its cases is hand-written without a name.
public func caseName(of keyPath: AnyKeyPath) -> String? {
  guard
    let root = type(of: keyPath).rootType as? any CaseRoot.Type,
    let name = root.name(along: keyPath)
  else { return nil }
  return name.hasPrefix("[") ? "\\\(name)" : "\\.\(name)"
}

extension CasePathIterable {
  /// The names of the cases, in source order; hand-written cases without a name are omitted.
  public static var _$caseNames: [String] {
    allCasePaths.compactMap { (Cases()[keyPath: $0] as? any PartialCase)?._$name }
  }
}

/// A ``Case`` of any enum, as the root of a key path of unknown type.
private protocol CaseRoot {
  static func name(along keyPath: AnyKeyPath) -> String?
}

extension Case: CaseRoot {
  fileprivate static func name(along keyPath: AnyKeyPath) -> String? {
    guard let keyPath = keyPath as? PartialKeyPath<Case> else { return nil }
    return (Case()[keyPath: keyPath] as? any PartialCase)?._$name
  }
}
