/// The leaves of a tree that is being built, and the hashes of their rows' ids.
///
/// It is not generic, for the reason for which `RowLeaf` is not.
@usableFromInline
struct BuiltLeaves {
  /// Full, but for the last one.
  private(set) var leaves: [RowLeaf] = []
  /// A hash and the number of a leaf for each row.
  private var pairs: [UInt64] = []

  init(reserving capacity: Int, width: Int) {
    // One leaf needs neither.
    guard capacity > width else { return }
    leaves.reserveCapacity((capacity + width - 1) / width)
    pairs.reserveCapacity(capacity)
  }

  mutating func append(_ leaf: RowLeaf) { leaves.append(leaf) }

  mutating func replaceLast(by leaf: RowLeaf) { leaves[leaves.count - 1] = leaf }

  /// Notes the hashes of all rows of the last leaf.
  mutating func note(_ hashes: UnsafeBufferPointer<UInt32>) {
    let (leaf, number) = (leaves[leaves.count - 1], UInt32(leaves.count - 1))
    let tags = leaf.tags
    for (place, hash) in hashes.enumerated() {
      tags[place] = HashIndex.tag(of: hash)
      pairs.append(HashIndex.pair(hash, number))
    }
  }

  mutating func sort() { HashIndex.sort(&pairs) }

  /// Calls a closure with the leaves of rows whose ids have the same hash, if there are several;
  /// a leaf may come several times.
  func forEachCollision(_ body: (_ hash: UInt32, _ leaves: [Int]) -> Void) {
    pairs.withUnsafeBufferPointer { pairs in
      var start = 0
      for end in 1..<max(1, pairs.count + 1) {
        if end < pairs.count, pairs[end] >> 32 == pairs[start] >> 32 { continue }
        if end - start > 1 {
          let leaves = pairs[start..<end].map { Int(UInt32(truncatingIfNeeded: $0)) }
          body(UInt32(pairs[start] >> 32), leaves)
        }
        start = end
      }
    }
  }

  /// Puts branches above the leaves.
  ///
  /// - Parameters:
  ///   - width: The most children of a branch.
  ///   - layout: The leaves' labels.
  /// - Returns: The root, and how many levels of branches there are.
  func raise(width: Int, _ layout: LabelSpace.Layout) -> (root: AnyObject, height: Int) {
    var level: [RowBranchEntry] = []
    level.reserveCapacity(leaves.count)
    for (place, leaf) in leaves.enumerated() {
      let label = layout.label(of: UInt32(place))
      level.append(RowBranchEntry(child: leaf, label: label, count: leaf.count))
    }
    var height = 0
    while level.count > 1 {
      level = stride(from: 0, to: level.count, by: width).map { start in
        let branch = RowBranch.make(capacity: width)
        branch.append(level[start..<min(start + width, level.count)])
        let label = branch.entries[0].label
        return RowBranchEntry(child: branch, label: label, count: branch.total)
      }
      height += 1
    }
    return (level[0].child, height)
  }

  /// The index of the rows, once their hashes are sorted.
  mutating func makeIndex(_ layout: LabelSpace.Layout) -> HashIndex {
    pairs.withUnsafeMutableBufferPointer { pairs in
      for place in pairs.indices {
        let leaf = UInt32(truncatingIfNeeded: pairs[place])
        pairs[place] = pairs[place] & ~0xffff_ffff | UInt64(layout.label(of: leaf))
      }
      return HashIndex(sorted: UnsafeBufferPointer(pairs))
    }
  }
}
