extension RowTree {
  /// Inserts a row with a new id.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - position: The position of the row.
  ///   - hash: The hash of its id, if the caller knows it.
  @usableFromInline
  mutating func insert(_ row: Row, at position: Int, hash: UInt32? = nil) {
    precondition(
      position >= 0 && position <= count,
      "Cannot insert at \(position): there are \(count) elements",
    )
    let hash = hash ?? self.hash(ofRow: row)
    if height == 0, insertIntoOnlyLeaf(row, hash, at: position) { return }
    if height == 0 { raiseRoot() }
    makeLabelSpace(forInsertionAt: position)
    var node = takeRoot()
    let place = Place(
      position: position,
      label: Int(unsafeDowncast(node, to: RowBranch.self).entries[0].label),
      bound: LabelSpace.end,
      isFirst: true,
    )
    let sibling = insert(row, hash, into: &node, height, at: place)
    root = node
    count += 1
    if let sibling { raiseRoot(beside: sibling) }
  }

  private mutating func insertIntoOnlyLeaf(
    _ row: Row,
    _ hash: UInt32,
    at position: Int,
  ) -> Bool {
    guard count < widths.leaf else { return false }
    if count == 0 { root = RowLeaf.make(Row.self, capacity: 2) }
    Self.makeLeafUnique(&root, capacity: min(widths.leaf, max(count + 1, count * 2)))
    unsafeDowncast(root, to: RowLeaf.self).insert(row, tag: HashIndex.tag(of: hash), at: position)
    count += 1
    return true
  }

  /// Makes the leaf in a slot mutable, with a capacity for one more row.
  static func makeLeafUnique(_ node: inout AnyObject, capacity: Int) {
    let isOwned = isUnique(&node)
    let leaf = unsafeDowncast(node, to: RowLeaf.self)
    if !isOwned {
      node = leaf.copy(Row.self, capacity: capacity)
    } else if leaf.count == leaf.room {
      node = leaf.moved(Row.self, capacity: capacity)
    }
  }

  /// Adds a branch above the only leaf.
  private mutating func raiseRoot() {
    let branch = RowBranch.make(capacity: widths.branch)
    branch.insert(
      RowBranchEntry(child: root, label: UInt32(LabelSpace.middle), count: count),
      at: 0,
    )
    root = branch
    height = 1
  }

  private mutating func raiseRoot(beside sibling: Sibling) {
    let branch = RowBranch.make(capacity: widths.branch)
    let first = unsafeDowncast(root, to: RowBranch.self)
    branch.insert(
      RowBranchEntry(child: first, label: first.entries[0].label, count: first.total),
      at: 0,
    )
    branch.insert(sibling.entry, at: sibling.isBefore ? 0 : 1)
    root = branch
    height += 1
    if height == 2 { rebuildIndex() }
  }

  /// The place of an insertion, relative to a node.
  struct Place {
    /// The place among the rows below the node.
    var position: Int
    /// The label of the first leaf below the node, and the first label after its leaves.
    var label: Int
    var bound: Int
    /// Whether the node contains the first leaf.
    var isFirst: Bool

    /// Whether the node contains the last leaf.
    var isLast: Bool { bound == LabelSpace.end }
  }

  /// A new node beside another one.
  struct Sibling {
    var entry: RowBranchEntry
    var isBefore: Bool
  }

  private mutating func insert(
    _ row: Row,
    _ hash: UInt32,
    into node: inout AnyObject,
    _ height: Int,
    at place: Place,
  ) -> Sibling? {
    guard height > 0 else { return insert(row, hash, intoLeaf: &node, at: place) }
    RowBranch.makeUnique(&node)
    let branch = unsafeDowncast(node, to: RowBranch.self)
    var inner = place
    let slot = branch.insertionSlot(of: &inner.position)
    let entry = branch.entries + slot
    inner.isFirst = place.isFirst && slot == 0
    inner.label = Int(entry.pointee.label)
    if slot + 1 < branch.count { inner.bound = Int(entry[1].label) }
    entry.pointee.content = 0
    let sibling = insert(row, hash, into: &entry.pointee.child, height - 1, at: inner)
    if height > 1 { Self.refreshLabel(of: entry) }
    guard let sibling else {
      entry.pointee.count += 1
      return nil
    }
    entry.pointee.count = UInt32(Self.total(of: entry.pointee.child, height - 1))
    return insert(
      sibling.entry,
      into: branch,
      at: sibling.isBefore ? slot : slot + 1,
      isLast: place.isLast,
    )
  }

  /// The number of rows in or below a node.
  static func total(of node: AnyObject, _ height: Int) -> Int {
    height > 0
      ? unsafeDowncast(node, to: RowBranch.self).total
      : unsafeDowncast(node, to: RowLeaf.self).count
  }

  /// Inserts a child into an unshared branch, and splits the branch if it is full.
  private func insert(
    _ entry: RowBranchEntry,
    into branch: RowBranch,
    at slot: Int,
    isLast: Bool,
  ) -> Sibling? {
    let count = branch.count
    guard count == widths.branch else {
      branch.insert(entry, at: slot)
      return nil
    }
    let right = RowBranch.make(capacity: widths.branch)
    if isLast, slot == count {
      // Appending keeps the previous branches full.
      right.insert(entry, at: 0)
    } else {
      right.take(count - count / 2, from: branch, isBefore: true)
      if slot <= count / 2 {
        branch.insert(entry, at: slot)
      } else {
        right.insert(entry, at: slot - count / 2)
      }
    }
    return Sibling(
      entry: RowBranchEntry(child: right, label: right.entries[0].label, count: right.total),
      isBefore: false,
    )
  }

  // MARK: - Leaves

  private mutating func insert(
    _ row: Row,
    _ hash: UInt32,
    intoLeaf node: inout AnyObject,
    at place: Place,
  ) -> Sibling? {
    let size = unsafeDowncast(node, to: RowLeaf.self).count
    guard size == widths.leaf else {
      Self.makeLeafUnique(&node, capacity: widths.leaf)
      unsafeDowncast(node, to: RowLeaf.self).insert(
        row,
        tag: HashIndex.tag(of: hash),
        at: place.position,
      )
      noteInIndex(hash, UInt32(place.label))
      return nil
    }
    // Appending and prepending keep the other leaves full.
    if place.isLast, place.position == size {
      return newLeaf(row, hash, LabelSpace.label(after: place.label), isBefore: false)
    }
    if place.isFirst, place.position == 0 {
      return newLeaf(row, hash, LabelSpace.label(before: place.label), isBefore: true)
    }
    return split(&node, inserting: row, hash, at: place)
  }

  private mutating func noteInIndex(_ hash: UInt32, _ label: UInt32) {
    if isIndexed { index.insert(hash, label) }
  }

  private mutating func newLeaf(
    _ row: Row,
    _ hash: UInt32,
    _ label: Int,
    isBefore: Bool,
  ) -> Sibling {
    let leaf = RowLeaf.make(Row.self, capacity: widths.leaf)
    leaf.insert(row, tag: HashIndex.tag(of: hash), at: 0)
    noteInIndex(hash, UInt32(label))
    return Sibling(
      entry: RowBranchEntry(child: leaf, label: UInt32(label), count: 1),
      isBefore: isBefore,
    )
  }

  private mutating func split(
    _ node: inout AnyObject,
    inserting row: Row,
    _ hash: UInt32,
    at place: Place,
  ) -> Sibling {
    Self.makeLeafUnique(&node)
    let leaf = unsafeDowncast(node, to: RowLeaf.self)
    let label = LabelSpace.label(between: place.label, place.bound)
    let right = RowLeaf.make(Row.self, capacity: widths.leaf)
    let half = leaf.count / 2
    right.take(leaf.count - half, of: Row.self, from: leaf, isBefore: true)
    relabel(right, from: UInt32(place.label), to: UInt32(label))
    if place.position <= half {
      Self.makeLeafUnique(&node, capacity: widths.leaf)
      unsafeDowncast(node, to: RowLeaf.self).insert(
        row,
        tag: HashIndex.tag(of: hash),
        at: place.position,
      )
      noteInIndex(hash, UInt32(place.label))
    } else {
      right.insert(row, tag: HashIndex.tag(of: hash), at: place.position - half)
      noteInIndex(hash, UInt32(label))
    }
    return Sibling(
      entry: RowBranchEntry(child: right, label: UInt32(label), count: right.count),
      isBefore: false,
    )
  }

  /// Updates the index for rows that moved to a leaf with another label.
  mutating func relabel(_ leaf: RowLeaf, from old: UInt32, to new: UInt32) {
    relabel(leaf, 0..<leaf.count, from: old, to: new)
  }

  mutating func relabel(_ leaf: RowLeaf, _ offsets: Range<Int>, from old: UInt32, to new: UInt32) {
    guard isIndexed else { return }
    for offset in offsets {
      index.replace(hash(ofRowAt: leaf.rows(of: Row.self) + offset), old, by: new)
    }
  }
}

extension RowBranch {
  /// The child that receives a row at a place below the branch.
  ///
  /// Between two children it is the left one.
  func insertionSlot(of place: inout Int) -> Int {
    var slot = 0
    while place > Int(entries[slot].count), slot + 1 < count {
      place -= Int(entries[slot].count)
      slot += 1
    }
    return slot
  }
}
