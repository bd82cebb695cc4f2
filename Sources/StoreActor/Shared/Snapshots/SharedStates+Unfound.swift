extension SharedStates {
  /// Finds a shared value in an updated state that updates do not reach: within `any`, or in
  /// collections of other libraries.
  ///
  /// It reads mirrors and does not enter objects. It is slow, for tests only.
  ///
  /// - Parameter state: The state.
  /// - Returns: The path to the first one, such as `items.0._count`; nil if all are found.
  static func pathOfUnfound(in state: Any) -> String? {
    guard SharedLock.isUsed else { return nil }
    var rest = 10_000
    return pathOfUnfound(in: state, &rest)?.joined(separator: ".")
  }

  private static func pathOfUnfound(in value: Any, _ rest: inout Int) -> [String]? {
    guard rest > 0 else { return nil }
    rest -= 1
    if let property = value as? any SharedProperty { return property.isUnfound ? [] : nil }
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .class { return nil }
    for (index, child) in mirror.children.enumerated() {
      if let path = pathOfUnfound(in: child.value, &rest) {
        return [child.label ?? "\(index)"] + path
      }
    }
    return nil
  }
}

extension SharedProperty {
  /// Whether it shows the newest value, which no updated property does.
  fileprivate var isUnfound: Bool { content.source != nil && content.snapshot == nil }
}
