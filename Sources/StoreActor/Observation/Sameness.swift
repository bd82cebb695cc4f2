import StoreState

/// The comparison of two values of a type; chosen once for a type, as a type check is slow.
///
/// Values with equal memory are the same without a comparison. No comparison uses reflection: it
/// runs on the reducers' thread, for values of any size.
enum Sameness {
  /// Whether a replacement of one value by another needs no notification of observers.
  ///
  /// A type with a wire form is compared by `==` and by its encoding. Otherwise `==` alone decides.
  /// Values that cannot be compared count as different.
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

  /// Whether a stored value need not be replaced by another one.
  ///
  /// It is stricter than ``of(_:)`` for types without a wire form: a `==` that compares only ids
  /// would keep an old value of the same id. For these, only equal memory counts as the same value.
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
