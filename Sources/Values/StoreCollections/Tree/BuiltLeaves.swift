/// The leaves of a tree under construction, and the hashes of their rows' ids.
///
/// It is not generic, for the same reason as `RowLeaf`.
@usableFromInline
struct BuiltLeaves {
  /// All leaves are full, except for the last one.
  private(set) var leaves: [RowLeaf] = []
  /// A hash and a leaf number for each row.
  private var pairs: [UInt64] = []

  init(reserving capacity: Int, width: Int) {
    // A single leaf needs no reserved memory.
    guard capacity > width else { return }
    leaves.reserveCapacity((capacity + width - 1) / width)
    pairs.reserveCapacity(capacity)
  }

  mutating func append(_ leaf: RowLeaf) { leaves.append(leaf) }

  mutating func replaceLast(by leaf: RowLeaf) { leaves[leaves.count - 1] = leaf }

  /// Records the hashes of all rows of the last leaf.
  mutating func note(_ hashes: UnsafeBufferPointer<UInt32>) {
    let (leaf, number) = (leaves[leaves.count - 1], UInt32(leaves.count - 1))
    let tags = leaf.tags
    for (place, hash) in hashes.enumerated() {
      tags[place] = HashIndex.tag(of: hash)
      pairs.append(HashIndex.pair(hash, number))
    }
  }

  mutating func sort() { HashIndex.sort(&pairs) }

  /// Calls a closure for each hash that several rows' ids share, with the leaves of these rows; a
  /// leaf may occur several times.
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

  /// Builds branches above the leaves.
  ///
  /// - Parameters:
  ///   - width: The most children of a branch.
  ///   - layout: The leaves' labels.
  /// - Returns: The root, and the number of levels of branches.
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

  /// The index of the rows; call this after `sort`.
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
