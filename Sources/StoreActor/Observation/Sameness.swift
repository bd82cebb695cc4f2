import StoreState

/// How two values of a type are compared; chosen once for a type, as asking a type is slow.
///
/// Equal bits are one value. Where they differ, `==` says what is different; what it takes for
/// equal is the same only if no part of it differs, as a `==` that compares ids would hide all else
/// from those who wait for changes. Values that cannot be compared count as different.
enum Sameness {
  static func of<Value>(_: Value.Type) -> (Value, Value) -> Bool {
    var areEqual: ((Value, Value) -> Bool)?
    if let type = Value.self as? any Equatable.Type { areEqual = equality(type) }
    if let type = Value.self as? any WireValue.Type {
      let haveSameBytes: (Value, Value) -> Bool = canonical(type)
      return { [areEqual] in
        haveSameMemory($0, $1) || (areEqual?($0, $1) ?? true) && haveSameBytes($0, $1)
      }
    }
    guard let areEqual else { return { haveSameMemory($0, $1) } }
    return { haveSameMemory($0, $1) || areEqual($0, $1) && !Parts.differ($0, $1) }
  }

  private static func equality<Value, E: Equatable>(_: E.Type) -> (Value, Value) -> Bool {
    { one, other in one as? E == other as? E }
  }

  private static func canonical<Value, W: WireValue>(_: W.Type) -> (Value, Value) -> Bool {
    { one, other in
      guard let one = one as? W, let other = other as? W else { return false }
      return one._$isSame(as: other)
    }
  }
}

/// The parts of values without a wire form: stored properties, what cases hold, elements.
///
/// References and functions are what `==` says they are. It takes a microsecond for each part, and
/// is asked only about values in different memory that their `==` takes for equal.
private enum Parts {
  /// Whether two values differ in a part.
  static func differ<Value>(_ one: Value, _ other: Value) -> Bool {
    if haveSameMemory(one, other) { return false }
    if Value.self is any WireValue.Type { return !Sameness.of(Value.self)(one, other) }
    if let one = one as? any Keyed { return one.differs(from: other) }
    let (parts, others) = (Mirror(reflecting: one), Mirror(reflecting: other))
    switch parts.displayStyle {
    case .enum where EnumFunctions<Value>()?.tag(of: one) != EnumFunctions<Value>()?.tag(of: other):
      return true
    case .struct, .enum, .tuple, .optional, .collection, .dictionary:
      return parts.children.count != others.children.count
        || zip(parts.children, others.children).contains { differ(anyOf: $0.value, $1.value) }
    default: return isUnequal(one, other)
    }
  }

  private static func differ(anyOf one: Any, _ other: Any) -> Bool {
    func differ<Value>(_ one: Value) -> Bool {
      (other as? Value).map { Parts.differ(one, $0) } ?? true
    }
    return _openExistential(one, do: differ)
  }

  private static func isUnequal<Value>(_ one: Value, _ other: Value) -> Bool {
    guard let type = Value.self as? any Equatable.Type else { return false }
    func isUnequal<E: Equatable>(_: E.Type) -> Bool { one as? E != other as? E }
    return isUnequal(type)
  }

  /// What has its parts in no order.
  fileprivate protocol Keyed {
    func differs(from other: Any) -> Bool
  }
}

extension Dictionary: Parts.Keyed {
  fileprivate func differs(from other: Any) -> Bool {
    guard let other = other as? Self, count == other.count else { return true }
    return contains { key, value in other[key].map { Parts.differ(value, $0) } ?? true }
  }
}
