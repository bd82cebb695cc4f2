/// The differences between two versions of a state, up to a number that people read.
struct StateChanges: Sendable {
  /// A part that differs.
  struct Change: Hashable, Sendable {
    let path: [StateNode.Key]
    /// The titles along its path; empty for the whole state.
    let names: [String]
    /// The earlier text; nil if the part was absent.
    let before: String?
    /// The later text; nil if the part was removed.
    let after: String?

    /// The change as one line.
    var text: String {
      switch (before, after) {
      case (let before?, let after?): "\(before) → \(after)"
      case (nil, let after?): "+ \(after)"
      case (let before?, nil): "− \(before)"
      case (nil, nil): "in another order"
      }
    }
  }

  /// The most changes that are listed.
  static let most = 500

  private(set) var list: [Change] = []
  /// Whether there are more changes than are listed.
  private(set) var hasMore = false
  /// The paths of the listed changes and of their ancestors.
  private(set) var places: Set<[StateNode.Key]> = []

  /// Compares two versions of one state, in time proportional to their size.
  init(from before: StateNode, to after: StateNode) { compare(before, after, [], []) }

  private mutating func compare(
    _ before: StateNode,
    _ after: StateNode,
    _ path: [StateNode.Key],
    _ names: [String],
  ) {
    guard !before.isSame(as: after) else { return }
    guard let form = after.form, form == before.form else {
      return add(path, names, before, after)
    }
    switch form {
    case .fields:
      for offset in 0..<after.partCount { compare(before, offset, after, offset, path, names) }
    case .ids: compareRows(before, after, path, names)
    case .places: compareItems(before, after, path, names)
    }
  }

  /// Compares a part with one of the same name.
  private mutating func compare(
    _ before: StateNode,
    _ beforeOffset: Int,
    _ after: StateNode,
    _ offset: Int,
    _ path: [StateNode.Key],
    _ names: [String],
  ) {
    guard !hasMore, !before.isPart(at: beforeOffset, sameAs: after, at: offset) else { return }
    let part = after.part(at: offset)
    compare(
      before.part(at: beforeOffset),
      part,
      path + [after.key(at: offset)],
      names + [part.title],
    )
  }

  /// Compares parts that have ids.
  private mutating func compareRows(
    _ before: StateNode,
    _ after: StateNode,
    _ path: [StateNode.Key],
    _ names: [String],
  ) {
    var places: [StateNode.Key: Int] = [:]
    for offset in 0..<before.partCount { places[before.key(at: offset)] = offset }
    var (isReordered, last) = (false, -1)
    for offset in 0..<after.partCount {
      if let place = places.removeValue(forKey: after.key(at: offset)) {
        isReordered = isReordered || place < last
        last = max(last, place)
        compare(before, place, after, offset, path, names)
      } else {
        add(nil, after.part(at: offset), after.key(at: offset), path, names)
      }
    }
    for (key, place) in places.sorted(by: { $0.value < $1.value }) {
      add(before.part(at: place), nil, key, path, names)
    }
    if isReordered { add(path, names, nil, nil) }
  }

  /// Compares parts that are identified by their positions; skips a common prefix and suffix.
  private mutating func compareItems(
    _ before: StateNode,
    _ after: StateNode,
    _ path: [StateNode.Key],
    _ names: [String],
  ) {
    let (old, new) = (before.partCount, after.partCount)
    let most = min(old, new)
    var start = 0
    while start < most, before.isPart(at: start, sameAs: after, at: start) { start += 1 }
    var end = 0
    while end < most - start, before.isPart(at: old - 1 - end, sameAs: after, at: new - 1 - end) {
      end += 1
    }
    for offset in start..<(most - end) { compare(before, offset, after, offset, path, names) }
    for offset in (most - end)..<(new - end) {
      add(nil, after.part(at: offset), after.key(at: offset), path, names)
    }
    for offset in (most - end)..<(old - end) {
      add(before.part(at: offset), nil, before.key(at: offset), path, names)
    }
  }

  // MARK: - Noting

  /// Records a part that exists in only one of the versions.
  private mutating func add(
    _ before: StateNode?,
    _ after: StateNode?,
    _ key: StateNode.Key,
    _ path: [StateNode.Key],
    _ names: [String],
  ) {
    guard let part = after ?? before else { return }
    add(path + [key], names + [part.title], before, after)
  }

  private mutating func add(
    _ path: [StateNode.Key],
    _ names: [String],
    _ before: StateNode?,
    _ after: StateNode?,
  ) {
    guard list.count < Self.most else {
      hasMore = true
      return
    }
    list.append(
      Change(path: path, names: names, before: before?.summary, after: after?.summary)
    )
    for count in 0...path.count { places.insert(Array(path.prefix(count))) }
  }
}
