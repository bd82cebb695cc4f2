/// The labels that leaves may have: numbers of 32 bits.
enum LabelSpace {
  /// The first number after the labels.
  static let end = 1 << 32
  static let middle = 1 << 31
  /// The greatest distance of labels that are assigned in sequence.
  static let step = 1 << 16
  /// A part of the labels is reassigned if they are at least this far apart; otherwise a larger
  /// part is.
  static let sparse = 256

  /// The label of a new last leaf; a free label must exist.
  static func label(after label: Int) -> Int { label + distance(inSpace: end - label) }

  /// The label of a new first leaf; a free label must exist.
  static func label(before label: Int) -> Int { label - distance(inSpace: label) }

  /// A label between two others; a free label must exist.
  static func label(between label: Int, _ bound: Int) -> Int {
    bound == end ? self.label(after: label) : label + (bound - label) / 2
  }

  /// Small if free labels are few, so that enough remain for many leaves.
  private static func distance(inSpace space: Int) -> Int { min(step, max(1, space >> 13)) }

  /// The label of the first of some leaves, and the distance from each to the next one.
  struct Layout {
    let first: Int
    let distance: Int

    /// The label of the leaf with a number.
    func label(of leaf: UInt32) -> UInt32 {
      UInt32(truncatingIfNeeded: first &+ Int(leaf) &* distance)
    }
  }

  /// Returns evenly spaced labels for some leaves.
  static func layout(leaves: Int) -> Layout {
    precondition(leaves < middle, "A tree cannot have \(leaves) leaves.")
    let distance = min(step, middle / max(1, leaves))
    return Layout(first: middle - distance * (leaves / 2), distance: distance)
  }
}

extension RowTree {
  /// Assigns new labels to some leaves if an insertion must split its leaf and the leaf has no free
  /// label after or before it.
  mutating func makeLabelSpace(forInsertionAt position: Int) {
    while isFull(atInsertionAt: position), let path = crowdedPath(forInsertionAt: position) {
      var depth = path.count - 1
      // The first leaf of the tree gets a new label only if all leaves do.
      if path[0].first == 0 { depth = 0 }
      while depth > 0, !path[depth].isSparse { depth -= 1 }
      relabelLeaves(below: path[depth], depth: depth, position: position)
    }
  }

  /// Whether the leaf that receives a row is full; usually it is not, and this check is fast.
  private func isFull(atInsertionAt position: Int) -> Bool {
    var (node, position) = (Unmanaged.passUnretained(root), position)
    for _ in 0..<height {
      node = node._withUnsafeGuaranteedRef {
        let branch = unsafeDowncast($0, to: RowBranch.self)
        return branch.child(at: branch.insertionSlot(of: &position))
      }
    }
    return node._withUnsafeGuaranteedRef {
      unsafeDowncast($0, to: RowLeaf.self).count == widths.leaf
    }
  }

  /// A branch with the range of labels below it.
  private struct RelabelRange {
    let branch: RowBranch
    let height: Int
    let first: Int
    let bound: Int
    let leaves: Int

    var isSparse: Bool { (bound - first) / leaves >= LabelSpace.sparse }
  }

  /// The branches above the leaf that receives a row, if the leaf has no free label.
  private func crowdedPath(forInsertionAt position: Int) -> [RelabelRange]? {
    var (node, position, bound, isFirst) = (root, position, LabelSpace.end, true)
    var path: [RelabelRange] = []
    var label = 0
    for height in stride(from: self.height, to: 0, by: -1) {
      let branch = unsafeDowncast(node, to: RowBranch.self)
      label = Int(branch.entries[0].label)
      path.append(
        RelabelRange(branch: branch, height: height, first: label, bound: bound, leaves: 1)
      )
      let slot = branch.insertionSlot(of: &position)
      if slot + 1 < branch.count { bound = Int(branch.entries[slot + 1].label) }
      isFirst = isFirst && slot == 0
      label = Int(branch.entries[slot].label)
      node = branch.entries[slot].child
    }
    let leaf = unsafeDowncast(node, to: RowLeaf.self)
    let needsBefore = isFirst && position == 0
    guard leaf.count == widths.leaf, needsBefore ? label < 1 : bound - label < 2 else { return nil }
    return path.map { crowd in
      RelabelRange(
        branch: crowd.branch,
        height: crowd.height,
        first: crowd.first,
        bound: crowd.bound,
        leaves: Self.leaves(below: crowd.branch, crowd.height),
      )
    }
  }

  static func leaves(below branch: RowBranch, _ height: Int) -> Int {
    guard height > 1 else { return branch.count }
    var leaves = 0
    for slot in 0..<branch.count {
      let child = unsafeDowncast(branch.entries[slot].child, to: RowBranch.self)
      leaves += Self.leaves(below: child, height - 1)
    }
    return leaves
  }

  /// Spreads the labels of the leaves below a branch evenly.
  private mutating func relabelLeaves(below crowd: RelabelRange, depth: Int, position: Int) {
    var node = takeRoot()
    if depth == 0 {
      let layout = LabelSpace.layout(leaves: crowd.leaves)
      var label = layout.first
      Self.relabel(&node, height, &label, layout.distance) { _, _, _ in }
      root = node
      return rebuildIndex()
    }
    var changes: [(leaf: RowLeaf, old: UInt32, new: UInt32)] = []
    var (label, distance) = (crowd.first, (crowd.bound - crowd.first) / crowd.leaves)
    Self.descend(&node, height, position, to: depth) { node, height in
      Self.relabel(&node, height, &label, distance) { leaf, old, new in
        changes.append((leaf, old, new))
      }
    }
    root = node
    guard isIndexed else { return }
    for change in changes {
      for offset in 0..<change.leaf.count {
        index.remove(hash(ofRowAt: change.leaf.rows(of: Row.self) + offset), change.old)
      }
    }
    for change in changes {
      for offset in 0..<change.leaf.count {
        index.insert(hash(ofRowAt: change.leaf.rows(of: Row.self) + offset), change.new)
      }
    }
  }

  /// Makes the branches on the path to a row mutable, down to a depth.
  private static func descend(
    _ node: inout AnyObject,
    _ height: Int,
    _ position: Int,
    to depth: Int,
    _ body: (inout AnyObject, Int) -> Void,
  ) {
    guard depth > 0 else { return body(&node, height) }
    RowBranch.makeUnique(&node)
    let branch = unsafeDowncast(node, to: RowBranch.self)
    var position = position
    let slot = branch.insertionSlot(of: &position)
    descend(&branch.entries[slot].child, height - 1, position, to: depth - 1, body)
    let child = unsafeDowncast(branch.entries[slot].child, to: RowBranch.self)
    branch.entries[slot].label = child.entries[0].label
  }

  private static func relabel(
    _ node: inout AnyObject,
    _ height: Int,
    _ label: inout Int,
    _ distance: Int,
    _ body: (RowLeaf, UInt32, UInt32) -> Void,
  ) {
    RowBranch.makeUnique(&node)
    let branch = unsafeDowncast(node, to: RowBranch.self)
    for slot in 0..<branch.count {
      let entry = branch.entries + slot
      let (old, new) = (entry.pointee.label, UInt32(label))
      if height > 1 {
        relabel(&entry.pointee.child, height - 1, &label, distance, body)
      } else {
        body(unsafeDowncast(entry.pointee.child, to: RowLeaf.self), old, new)
        label += distance
      }
      entry.pointee.label = new
    }
  }

  /// Rebuilds the index from the current rows.
  mutating func rebuildIndex() {
    guard isIndexed else { return }
    var pairs: [UInt64] = []
    pairs.reserveCapacity(count)
    collectPairs(root, height, label: 0, into: &pairs)
    HashIndex.sort(&pairs)
    index = pairs.withUnsafeBufferPointer { HashIndex(sorted: $0) }
  }

  private func collectPairs(
    _ node: AnyObject,
    _ height: Int,
    label: UInt32,
    into pairs: inout [UInt64],
  ) {
    guard height > 0 else {
      let leaf = unsafeDowncast(node, to: RowLeaf.self)
      let rows = leaf.rows(of: Row.self)
      for offset in 0..<leaf.count {
        pairs.append(HashIndex.pair(hash(ofRowAt: rows + offset), label))
      }
      return
    }
    let branch = unsafeDowncast(node, to: RowBranch.self)
    for slot in 0..<branch.count {
      let entry = branch.entries[slot]
      collectPairs(entry.child, height - 1, label: entry.label, into: &pairs)
    }
  }
}
