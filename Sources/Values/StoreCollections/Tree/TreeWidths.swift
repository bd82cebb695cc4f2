/// The numbers of rows and children in the nodes of a tree.
///
/// A write to a shared node copies the node, and the cost grows with its references: each of them
/// is a counter elsewhere in memory. So nodes are narrow, and leaves of large rows are narrower
/// still. `StateBench` measures the effect of the widths.
@usableFromInline
struct TreeWidths: Equatable, Sendable {
  /// The most rows of a leaf; at most 16, because a leaf has that many tags.
  @usableFromInline let leaf: Int
  /// The most children of a branch.
  @usableFromInline let branch: Int

  @usableFromInline
  init(leaf: Int, branch: Int) {
    precondition(
      (2...16).contains(leaf) && (4...64).contains(branch),
      "A tree cannot have leaves of \(leaf) rows and branches of \(branch) children.",
    )
    self.leaf = leaf
    self.branch = branch
  }

  /// The widths for rows of some type.
  @inlinable
  static func standard<Row>(for row: Row.Type) -> TreeWidths {
    let fitting = 1_024 / max(1, MemoryLayout<Row>.stride)
    return TreeWidths(leaf: min(16, max(4, fitting)), branch: 16)
  }

  /// The fewest rows of a leaf that is neither the first nor the last one.
  var leastLeaf: Int { max(1, leaf / 4) }

  /// The fewest children of a branch that is neither the first nor the last one of its level.
  var leastBranch: Int { max(2, branch / 4) }
}
