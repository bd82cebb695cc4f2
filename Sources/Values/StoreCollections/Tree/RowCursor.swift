/// A walk over the nodes below a node from the first to the last, which can skip or enter
/// each node.
///
/// It is not generic, for the same reason as `RowLeaf`.
struct RowCursor {
  private let total: Int
  private var path: [(branch: RowBranch, slot: Int)] = []
  /// The current node; nil at the end.
  private(set) var node: AnyObject?
  /// The number of levels of branches in the node, including itself.
  private(set) var height: Int
  /// The position of the node's first row.
  private(set) var position: Int

  init(_ node: AnyObject, height: Int, count: Int, position: Int = 0) {
    self.node = count > 0 ? node : nil
    self.height = height
    self.position = position
    total = count
  }

  init<ID, Row>(_ tree: RowTree<ID, Row>) {
    self.init(tree.root, height: tree.height, count: tree.count)
  }

  /// The label of the node's first leaf.
  var label: UInt32 { path.last.map { $0.branch.entries[$0.slot].label } ?? 0 }

  /// The number of rows in or below the node.
  var count: Int { path.last.map { Int($0.branch.entries[$0.slot].count) } ?? total }

  /// Moves to the first child of the node, which is a branch.
  mutating func open() {
    guard let node else { return }
    let branch = unsafeDowncast(node, to: RowBranch.self)
    path.append((branch, 0))
    self.node = branch.entries[0].child
    height -= 1
  }

  /// Moves to the first leaf of the node and past it.
  ///
  /// - Returns: The leaf, or nil at the end.
  mutating func nextLeaf() -> RowLeaf? {
    while height > 0, node != nil { open() }
    guard let node else { return nil }
    skip()
    return unsafeDowncast(node, to: RowLeaf.self)
  }

  /// Moves past the node.
  mutating func skip() {
    position += count
    while let (branch, slot) = path.popLast() {
      height += 1
      if slot + 1 < branch.count {
        path.append((branch, slot + 1))
        height -= 1
        node = branch.entries[slot + 1].child
        return
      }
    }
    node = nil
  }
}

extension RowCursor {
  /// Skips a node that both walks share, or enters the higher one of two different nodes.
  ///
  /// - Returns: The number of skipped rows; 0 if walks moved to children; nil if both are at
  ///   different leaves, or one is at the end.
  static func advance(_ one: inout RowCursor, _ other: inout RowCursor) -> Int? {
    guard let first = one.node, let second = other.node else { return nil }
    if first === second {
      let count = one.count
      one.skip()
      other.skip()
      return count
    }
    let height = max(one.height, other.height)
    guard height > 0 else { return nil }
    if other.height == height { other.open() }
    if one.height == height { one.open() }
    return 0
  }
}
