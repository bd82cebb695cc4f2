extension RowTree {
  /// Removes the row at a position.
  @usableFromInline
  mutating func remove(at position: Int) -> Row {
    let place = uniqueRow(at: position)
    let hash = isIndexed ? hash(ofRowAt: place) : 0
    let row = place.move()
    closeHole(at: position, hash: hash)
    return row
  }

  /// Closes the gap of a row that was moved out of its leaf.
  ///
  /// The nodes on the path are not shared.
  ///
  /// - Parameters:
  ///   - position: The previous position of the row.
  ///   - hash: The hash of its id; ignored without an index.
  @usableFromInline
  mutating func closeHole(at position: Int, hash: UInt32) {
    var node = takeRoot()
    closeHole(in: &node, height, at: position, hash, label: 0)
    count -= 1
    root = node
    lowerRoot()
  }

  /// Removes branches at the top that have only one child.
  private mutating func lowerRoot() {
    if count == 0 { self = RowTree(identity: identity) }
    while height > 0 {
      let branch = unsafeDowncast(root, to: RowBranch.self)
      guard branch.count == 1 else { return }
      root = branch.entries[0].child
      height -= 1
      if !isIndexed { index = HashIndex() }
    }
  }

  private mutating func closeHole(
    in node: inout AnyObject,
    _ height: Int,
    at position: Int,
    _ hash: UInt32,
    label: UInt32,
  ) {
    guard height > 0 else {
      unsafeDowncast(node, to: RowLeaf.self).closeHole(Row.self, at: position)
      if isIndexed { index.remove(hash, label) }
      return
    }
    let branch = unsafeDowncast(node, to: RowBranch.self)
    var position = position
    let slot = branch.slot(of: &position)
    let entry = branch.entries + slot
    let label = entry.pointee.label
    closeHole(in: &entry.pointee.child, height - 1, at: position, hash, label: label)
    entry.pointee.count -= 1
    entry.pointee.content = 0
    if Self.size(of: entry.pointee.child, height - 1) == 0 { return branch.remove(at: slot) }
    if height > 1 { Self.refreshLabel(of: entry) }
    if branch.count > 1 { rebalance(branch, slot, height) }
  }

  /// Updates a branch's label to that of its first leaf.
  static func refreshLabel(of entry: UnsafeMutablePointer<RowBranchEntry>) {
    let branch = unsafeDowncast(entry.pointee.child, to: RowBranch.self)
    entry.pointee.label = branch.entries[0].label
  }

  /// Merges a child that is too small with its neighbor, or moves some of the neighbor's content
  /// to it.
  private mutating func rebalance(_ branch: RowBranch, _ slot: Int, _ height: Int) {
    let least = height > 1 ? widths.leastBranch : widths.leastLeaf
    let size = Self.size(of: branch.entries[slot].child, height - 1)
    guard size < least else { return }
    let left = slot > 0 ? slot - 1 : slot
    if height > 1 {
      rebalanceBranches(branch, left)
    } else {
      rebalanceLeaves(branch, left)
    }
  }

  static func size(of node: AnyObject, _ height: Int) -> Int {
    height > 0
      ? unsafeDowncast(node, to: RowBranch.self).count
      : unsafeDowncast(node, to: RowLeaf.self).count
  }

  private func rebalanceBranches(_ parent: RowBranch, _ slot: Int) {
    let (left, right) = (parent.entries + slot, parent.entries + slot + 1)
    RowBranch.makeUnique(&left.pointee.child)
    RowBranch.makeUnique(&right.pointee.child)
    let first = unsafeDowncast(left.pointee.child, to: RowBranch.self)
    let second = unsafeDowncast(right.pointee.child, to: RowBranch.self)
    let sum = first.count + second.count
    if sum <= widths.branch {
      first.take(second.count, from: second, isBefore: false)
    } else if first.count < second.count {
      first.take(sum / 2 - first.count, from: second, isBefore: false)
    } else {
      second.take(sum / 2 - second.count, from: first, isBefore: true)
    }
    left.pointee.count = UInt32(first.total)
    left.pointee.content = 0
    guard second.count > 0 else { return parent.remove(at: slot + 1) }
    right.pointee.count = UInt32(second.total)
    right.pointee.content = 0
    right.pointee.label = second.entries[0].label
  }

  private mutating func rebalanceLeaves(_ parent: RowBranch, _ slot: Int) {
    let (left, right) = (parent.entries + slot, parent.entries + slot + 1)
    Self.makeLeafUnique(&left.pointee.child, room: widths.leaf)
    Self.makeLeafUnique(&right.pointee.child, room: widths.leaf)
    let first = unsafeDowncast(left.pointee.child, to: RowLeaf.self)
    let second = unsafeDowncast(right.pointee.child, to: RowLeaf.self)
    let (labels, sum) = ((left.pointee.label, right.pointee.label), first.count + second.count)
    if sum <= widths.leaf {
      // The label of the larger one stays, so that fewer rows change their labels.
      let keepsFirst = first.count >= second.count
      if keepsFirst {
        relabel(second, from: labels.1, to: labels.0)
      } else {
        relabel(first, from: labels.0, to: labels.1)
        left.pointee.label = labels.1
      }
      first.take(second.count, of: Row.self, from: second, isBefore: false)
    } else if first.count < second.count {
      let number = sum / 2 - first.count
      relabel(second, 0..<number, from: labels.1, to: labels.0)
      first.take(number, of: Row.self, from: second, isBefore: false)
    } else {
      let number = sum / 2 - second.count
      relabel(first, (first.count - number)..<first.count, from: labels.0, to: labels.1)
      second.take(number, of: Row.self, from: first, isBefore: true)
    }
    left.pointee.count = UInt32(first.count)
    left.pointee.content = 0
    guard second.count > 0 else { return parent.remove(at: slot + 1) }
    right.pointee.count = UInt32(second.count)
    right.pointee.content = 0
  }

  /// Makes the leaf in a slot mutable, with a capacity of `room` rows.
  private static func makeLeafUnique(_ node: inout AnyObject, room: Int) {
    let isOwned = isUnique(&node)
    let leaf = unsafeDowncast(node, to: RowLeaf.self)
    if !isOwned {
      node = leaf.copy(Row.self, capacity: room)
    } else if leaf.room < room {
      node = leaf.moved(Row.self, capacity: room)
    }
  }
}
