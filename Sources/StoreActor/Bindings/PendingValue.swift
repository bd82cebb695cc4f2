/// A value that a binding has set and whose outcome is unknown.
struct PendingValue {
  let keyPath: AnyKeyPath
  let value: Any
  let number: Int
}

extension StoreNode {
  /// The value that a binding shows instead of the state's; nil if it shows the state's.
  final func pendingValue<Value>(at keyPath: KeyPath<State, Value>) -> Value? {
    pending.last { $0.keyPath == keyPath }?.value as? Value
  }

  /// Shows a value instead of a part of the state, for bindings.
  ///
  /// - Returns: The number with which it is removed.
  final func addPending<Value>(_ value: Value, at keyPath: KeyPath<State, Value>) -> Int {
    let number = (pending.last?.number ?? 0) + 1
    pending.append(PendingValue(keyPath: keyPath, value: value, number: number))
    pendingChanged()
    return number
  }

  /// Removes a value, so that the state's, or another pending one, is shown again.
  final func removePending(_ number: Int) {
    pending.removeAll { $0.number == number }
    pendingChanged()
  }
}
