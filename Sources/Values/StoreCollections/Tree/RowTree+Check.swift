import StoreBytes

extension RowTree {
  /// The faults of the tree, for tests; empty if it is valid.
  func faults(_ contribution: ((UnsafeMutablePointer<Row>) -> UInt64)? = nil) -> [String] {
    var check = RowTreeCheck(tree: self, contribution: contribution)
    check.run()
    return check.faults
  }
}

/// Checks all nodes of a tree.
struct RowTreeCheck<ID: Hashable, Row> {
  private let tree: RowTree<ID, Row>
  private let contribution: ((UnsafeMutablePointer<Row>) -> UInt64)?
  private(set) var faults: [String] = []
  private var pairs: [UInt64] = []
  private var ids: Set<ID> = []

  init(tree: RowTree<ID, Row>, contribution: ((UnsafeMutablePointer<Row>) -> UInt64)?) {
    self.tree = tree
    self.contribution = contribution
  }

  mutating func run() {
    guard tree.count > 0 else {
      if tree.height > 0 { faults.append("empty, and height \(tree.height)") }
      return
    }
    if tree.height > 0, RowTree<ID, Row>.size(of: tree.root, tree.height) < 2 {
      faults.append("the root has one child")
    }
    let found = visit(tree.root, tree.height, label: nil, isEdge: true)
    if found.count != tree.count { faults.append("\(found.count) rows, count \(tree.count)") }
    if ids.count != tree.count { faults.append("\(ids.count) ids, count \(tree.count)") }
    if tree.index.pairs != (tree.isIndexed ? pairs.sorted() : []) {
      faults.append("the index is wrong")
    }
    let labels = pairs.map { UInt32(truncatingIfNeeded: $0) }
    if labels != labels.sorted() { faults.append("labels descend") }
  }

  private mutating func visit(
    _ node: AnyObject,
    _ height: Int,
    label: UInt32?,
    isEdge: Bool,
  ) -> (count: Int, content: UInt64) {
    guard height > 0 else {
      return visit(unsafeDowncast(node, to: RowLeaf.self), label: label, isEdge: isEdge)
    }
    let branch = unsafeDowncast(node, to: RowBranch.self)
    checkSize(branch.count, tree.widths.leastBranch, tree.widths.branch, isEdge)
    if let label, label != branch.entries[0].label { faults.append("a branch's label is wrong") }
    var (count, content): (Int, UInt64) = (0, 0)
    for slot in 0..<branch.count {
      let entry = branch.entries[slot]
      if slot > 0, entry.label <= branch.entries[slot - 1].label { faults.append("same label") }
      let isEdge = isEdge && (slot == 0 || slot == branch.count - 1)
      let child = visit(entry.child, height - 1, label: entry.label, isEdge: isEdge)
      if child.count != entry.count { faults.append("\(child.count) rows, not \(entry.count)") }
      if contribution != nil, ![0, child.content].contains(branch.content(at: slot)) {
        faults.append("a branch's content is wrong")
      }
      count += child.count
      content = combine(content, child.content, child.count)
    }
    return (count, content)
  }

  private mutating func visit(
    _ leaf: RowLeaf,
    label: UInt32?,
    isEdge: Bool,
  ) -> (count: Int, content: UInt64) {
    checkSize(leaf.count, tree.widths.leastLeaf, tree.widths.leaf, isEdge)
    var (content, known): (UInt64, UInt64) = (0, 0)
    for offset in 0..<leaf.count {
      let row = leaf.rows(of: Row.self) + offset
      ids.insert(tree.identity.read(row.pointee))
      if leaf.tags[offset] != HashIndex.tag(of: tree.hash(ofRowAt: row)) {
        faults.append("a tag is wrong")
      }
      if let label { pairs.append(HashIndex.pair(tree.hash(ofRowAt: row), label)) }
      let part = contribution?(row) ?? 0
      content = combine(content, part, 1)
      let isPending = leaf.notes.pointee.pending >> UInt32(offset) & 1 == 1
      known = combine(known, isPending ? 0 : part, 1)
    }
    if contribution != nil, known != leaf.notes.pointee.content {
      faults.append("a leaf's content")
    }
    return (leaf.count, content)
  }

  private mutating func checkSize(_ size: Int, _ least: Int, _ most: Int, _ isEdge: Bool) {
    if size < (isEdge ? 1 : least) || size > most {
      faults.append("a node of \(size), which should be \(least) to \(most)")
    }
  }

  private func combine(_ one: UInt64, _ other: UInt64, _ count: Int) -> UInt64 {
    switch tree.identity.digests {
    case .unordered: one &+ other
    case .ordered:
      SequenceDigest.content(one, followedBy: other % SequenceDigest.modulus, count)
    }
  }
}
