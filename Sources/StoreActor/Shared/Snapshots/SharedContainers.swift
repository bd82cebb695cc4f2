import StoreState

extension Optional: SharedContainer {
  static var heldTypes: [Any.Type] { [Wrapped.self] }

  func isBehind(since old: Self?, _ update: SnapshotUpdate) -> Bool {
    guard let value = self else { return false }
    return update.values(of: Wrapped.self)?.areBehind(value) ?? false
  }

  mutating func updateSnapshots(_ update: SnapshotUpdate) {
    guard var value = self else { return }
    update.updateSnapshots(&value)
    self = value
  }
}

extension PresentationState: SharedContainer {
  static var heldTypes: [Any.Type] { [State.self] }

  func isBehind(since old: Self?, _ update: SnapshotUpdate) -> Bool {
    if let old, sharesBox(with: old) { return false }
    guard let state = wrappedValue else { return false }
    return update.values(of: State.self)?.areBehind(state) ?? false
  }

  mutating func updateSnapshots(_ update: SnapshotUpdate) { update.updateSnapshots(&wrappedValue) }
}

extension Boxed: SharedContainer {
  static var heldTypes: [Any.Type] { [Value.self] }

  func isBehind(since old: Self?, _ update: SnapshotUpdate) -> Bool {
    if let old, isIdentical(to: old) { return false }
    return update.values(of: Value.self)?.areBehind(wrappedValue) ?? false
  }

  mutating func updateSnapshots(_ update: SnapshotUpdate) { update.updateSnapshots(&wrappedValue) }
}

// MARK: - Collections

/// Collections whose elements can be changed in place.
protocol SharedElements: SharedContainer, MutableCollection {}

extension SharedElements {
  static var heldTypes: [Any.Type] { [Element.self] }

  func isBehind(since old: Self?, _ update: SnapshotUpdate) -> Bool {
    guard let values = update.values(of: Element.self) else { return false }
    return contains { values.areBehind($0) }
  }

  mutating func updateSnapshots(_ update: SnapshotUpdate) {
    guard let values = update.values(of: Element.self) else { return }
    // Only these: the other elements keep sharing their memory.
    let behind = indices.filter { values.areBehind(self[$0]) }
    for index in behind { values.updateSnapshots(&self[index]) }
  }
}

extension Array: SharedElements {}
extension ArraySlice: SharedElements {}
extension ContiguousArray: SharedElements {}
extension IdentifiedArray: SharedElements {}

/// Sets, whose members cannot be changed in place.
protocol SharedMembers: SharedContainer, Sequence, SetAlgebra {}

extension SharedMembers {
  static var heldTypes: [Any.Type] { [Element.self] }

  func isBehind(since old: Self?, _ update: SnapshotUpdate) -> Bool {
    guard let values = update.values(of: Element.self) else { return false }
    return contains { values.areBehind($0) }
  }

  mutating func updateSnapshots(_ update: SnapshotUpdate) {
    guard let values = update.values(of: Element.self) else { return }
    // Rebuilt, because a member's shown value may be part of its hash.
    var updated = Self()
    for member in self {
      var member = member
      values.updateSnapshots(&member)
      updated.insert(member)
    }
    self = updated
  }
}

extension Set: SharedMembers {}
extension PersistentSet: SharedMembers {}

/// Collections of values by their keys; shared values in keys are not updated.
protocol SharedKeyedValues: SharedContainer, Sequence where Element == (key: Key, value: Value) {
  associatedtype Key
  associatedtype Value

  subscript(key: Key) -> Value? { get set }
}

extension SharedKeyedValues {
  static var heldTypes: [Any.Type] { [Value.self] }

  func isBehind(since old: Self?, _ update: SnapshotUpdate) -> Bool {
    guard let values = update.values(of: Value.self) else { return false }
    return contains { values.areBehind($0.value) }
  }

  mutating func updateSnapshots(_ update: SnapshotUpdate) {
    guard let values = update.values(of: Value.self) else { return }
    for (key, value) in self where values.areBehind(value) {
      var value = value
      values.updateSnapshots(&value)
      self[key] = value
    }
  }
}

extension Dictionary: SharedKeyedValues {}
extension PersistentMap: SharedKeyedValues {}
