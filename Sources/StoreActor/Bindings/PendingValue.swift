/// What a binding has set, and what nobody knows yet what became of.
struct PendingValue {
  let keyPath: AnyKeyPath
  let value: Any
  let number: Int
}

extension StoreNode {
  /// What a binding shows in the place of a part of the state; nil where it shows the state's.
  final func pendingValue<Value>(at keyPath: KeyPath<State, Value>) -> Value? {
    pending.last { $0.keyPath == keyPath }?.value as? Value
  }

  /// Puts a value in the place of a part of the state, for bindings.
  ///
  /// - Returns: What it is removed by.
  final func addPending<Value>(_ value: Value, at keyPath: KeyPath<State, Value>) -> Int {
    let number = (pending.last?.number ?? 0) + 1
    pending.append(PendingValue(keyPath: keyPath, value: value, number: number))
    pendingChanged()
    return number
  }

  /// Shows the state's again, or what was set before or since.
  final func removePending(_ number: Int) {
    pending.removeAll { $0.number == number }
    pendingChanged()
  }
}
