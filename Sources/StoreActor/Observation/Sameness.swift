import StoreState

/// How two values of a type are compared; chosen once for a type, as asking a type is slow.
///
/// Equal bits are one value. Where they differ, `==` decides, or the canonical bytes where a type
/// has only those; values that cannot be compared count as different.
enum Sameness {
  static func of<Value>(_: Value.Type) -> (Value, Value) -> Bool {
    if let type = Value.self as? any Equatable.Type { return equality(type) }
    if let type = Value.self as? any WireValue.Type { return canonical(type) }
    return { haveSameMemory($0, $1) }
  }

  private static func equality<Value, E: Equatable>(_: E.Type) -> (Value, Value) -> Bool {
    { one, other in haveSameMemory(one, other) || one as? E == other as? E }
  }

  private static func canonical<Value, W: WireValue>(_: W.Type) -> (Value, Value) -> Bool {
    { one, other in
      if haveSameMemory(one, other) { return true }
      guard let one = one as? W, let other = other as? W else { return false }
      return one.isSame(as: other)
    }
  }
}
