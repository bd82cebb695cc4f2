import StoreState

/// How two values of a type are compared; chosen once for a type, as asking a type is slow.
///
/// Equal memory is one value, which no comparison needs to look into. No comparison takes values
/// apart by reflection: it is asked on the reducers' thread, about values of any size.
enum Sameness {
  /// Whether observers are notified of nothing when one value replaces another.
  ///
  /// A type with a wire form is compared by `==` and by its bytes, as those travel. Without one
  /// `==` alone decides. Values that cannot be compared count as different.
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
    return { haveSameMemory($0, $1) || areEqual($0, $1) }
  }

  /// Whether a value that is kept need not be replaced by another one.
  ///
  /// It is stricter than ``of(_:)`` for types without a wire form: a `==` that compares ids alone
  /// would keep an old value of the same id. There, only equal memory is the same value.
  static func ofKept<Value>(_ type: Value.Type) -> (Value, Value) -> Bool {
    type is any WireValue.Type ? of(type) : { haveSameMemory($0, $1) }
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
