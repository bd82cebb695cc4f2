/// What became of a dictionary whose entries nobody knows.
///
/// The keys of a delta say what was there before it: a removed or changed key was, an inserted one
/// was not; one that is both removed and inserted has another value than before.
struct KeyedEdits: Sendable {
  enum Edit: Sendable {
    case removed
    case inserted(GenericValue)
    case replaced(GenericValue)
    case changed(DeltaTree)
  }

  private var edits: [GenericValue: Edit] = [:]

  init() {}

  var isEmpty: Bool { edits.isEmpty }

  /// - Returns: False when the key cannot be there.
  mutating func remove(_ key: GenericValue) -> Bool {
    switch edits[key] {
    case .removed: return false
    case .inserted: edits[key] = nil
    case .replaced, .changed, nil: edits[key] = .removed
    }
    return true
  }

  /// - Returns: False when the key must be there.
  mutating func insert(_ key: GenericValue, _ value: GenericValue) -> Bool {
    switch edits[key] {
    case .inserted, .replaced, .changed: return false
    case .removed: edits[key] = .replaced(value)
    case nil: edits[key] = .inserted(value)
    }
    return true
  }

  /// Changes a value inside: one that came by `apply`, an old one by `compose`.
  ///
  /// - Returns: False when the key cannot be there.
  mutating func change(
    _ key: GenericValue,
    compose: (DeltaTree?) throws(CodecError) -> DeltaTree?,
    apply: (inout GenericValue) throws(CodecError) -> Void,
  ) throws(CodecError) -> Bool {
    switch edits[key] {
    case .removed: return false
    case .inserted(var value):
      try apply(&value)
      edits[key] = .inserted(value)
    case .replaced(var value):
      try apply(&value)
      edits[key] = .replaced(value)
    case .changed(let delta): edits[key] = (try compose(delta)).map { .changed($0) }
    case nil: edits[key] = (try compose(nil)).map { .changed($0) }
    }
    return true
  }

  func encode(to encoder: inout CBOREncoder) {
    var (removed, inserted, changed) = (SortedItems(), SortedItems(), SortedItems())
    for (key, edit) in edits {
      switch edit {
      case .removed: removed.add { key.encode(to: &$0) }
      case .inserted(let value): inserted.add(key, value.encoded())
      case .replaced(let value):
        removed.add { key.encode(to: &$0) }
        inserted.add(key, value.encoded())
      case .changed(let delta):
        changed.add {
          key.encode(to: &$0)
        } value: {
          delta.encode(to: &$0)
        }
      }
    }
    _ = encoder.encodeChanges([removed, inserted, changed], itemsEach: [1, 2, 2])
  }
}

/// What became of a set whose elements nobody knows.
struct SetEdits: Sendable {
  private var isInserted: [GenericValue: Bool] = [:]

  init() {}

  var isEmpty: Bool { isInserted.isEmpty }

  /// Lets an element go or come; one that went and came again never went.
  ///
  /// - Returns: False when the element cannot be there, or must be.
  mutating func change(_ element: GenericValue, inserting: Bool) -> Bool {
    guard let known = isInserted[element] else {
      isInserted[element] = inserting
      return true
    }
    guard known != inserting else { return false }
    isInserted[element] = nil
    return true
  }

  func encode(to encoder: inout CBOREncoder) {
    var (removed, inserted) = (SortedItems(), SortedItems())
    for (element, isInserted) in isInserted {
      if isInserted {
        inserted.add { element.encode(to: &$0) }
      } else {
        removed.add { element.encode(to: &$0) }
      }
    }
    _ = encoder.encodeChanges([removed, inserted], itemsEach: [1, 1])
  }
}
