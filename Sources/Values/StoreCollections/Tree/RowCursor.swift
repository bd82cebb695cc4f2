/// A walk over the nodes below a node from the first to the last, which can pass over what is
/// below a node or go into it.
///
/// It is not generic, for the reason for which `RowLeaf` is not.
struct RowCursor {
  private let total: Int
  private var path: [(branch: RowBranch, slot: Int)] = []
  /// Where the walk is; none at the end.
  private(set) var node: AnyObject?
  /// How many levels of branches the node has, itself included.
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

  /// How many rows are in or below the node.
  var count: Int { path.last.map { Int($0.branch.entries[$0.slot].count) } ?? total }

  /// Goes to the first child of the node, which is a branch.
  mutating func open() {
    guard let node else { return }
    let branch = unsafeDowncast(node, to: RowBranch.self)
    path.append((branch, 0))
    self.node = branch.entries[0].child
    height -= 1
  }

  /// Goes to the leaf at the beginning of the node and passes over it.
  ///
  /// - Returns: The leaf, or nil at the end.
  mutating func nextLeaf() -> RowLeaf? {
    while height > 0, node != nil { open() }
    guard let node else { return nil }
    skip()
    return unsafeDowncast(node, to: RowLeaf.self)
  }

  /// Goes to what follows the node.
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
  /// Passes over what both walks have in common, and goes into the higher one of two nodes that
  /// differ.
  ///
  /// - Returns: How many rows of a common node were passed over; 0 when both walks were moved to
  ///   children; nil when both are at leaves that differ, or one of them at the end.
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
