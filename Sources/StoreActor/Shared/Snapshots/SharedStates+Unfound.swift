extension SharedStates {
  /// Where in an updated state a shared value is that is not found when states are updated: behind
  /// `any`, or in others' collections.
  ///
  /// It looks at what mirrors show, and not into objects, so it takes long and is for tests.
  ///
  /// - Parameter state: The state.
  /// - Returns: The path to the first one, as `items.0._count`; nil where there is none.
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
  /// Whether it shows the newest value, as nobody does who was updated.
  fileprivate var isUnfound: Bool { content.source != nil && content.snapshot == nil }
}
