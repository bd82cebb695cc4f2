/// A walk over the leaves of a tree from the first to the last.
///
/// It stores a position in the branch above the next leaf, so most leaves are one step away. It is
/// not generic, for the same reason as `RowLeaf`.
@usableFromInline
struct LeafWalk {
  /// Keeps the leaves alive and unchanged.
  @usableFromInline let root: AnyObject
  @usableFromInline let height: Int
  @usableFromInline let count: Int
  /// The next leaf's entry in the branch above it, and the end of the branch's entries.
  @usableFromInline var entry: UnsafeMutablePointer<RowBranchEntry>?
  @usableFromInline var end: UnsafeMutablePointer<RowBranchEntry>?
  /// The position of the next leaf's first row.
  @usableFromInline var position = 0

  @inlinable
  init(_ root: AnyObject, height: Int, count: Int) {
    self.root = root
    self.height = height
    self.count = count
  }

  /// The next leaf, or nil at the end; valid as long as the walk exists.
  @inlinable
  mutating func next() -> Unmanaged<RowLeaf>? {
    if entry == end {
      guard position < count else { return nil }
      guard height > 0 else {
        position = count
        return Unmanaged.passUnretained(unsafeDowncast(root, to: RowLeaf.self))
      }
      (entry, end) = Self.entries(from: position, below: root, height)
    }
    guard let next = entry else { return nil }
    entry = next + 1
    position &+= Int(next.pointee.count)
    // The child is the first field of its entry, and is a leaf here.
    return UnsafeRawPointer(next).load(as: Unmanaged<RowLeaf>.self)
  }

  /// The entries of the branch above the leaf that begins at a position, from that leaf's entry on.
  ///
  /// This is a static function, so a walk need not be in memory for it.
  @usableFromInline
  static func entries(
    from position: Int,
    below root: AnyObject,
    _ height: Int,
  ) -> (first: UnsafeMutablePointer<RowBranchEntry>?, end: UnsafeMutablePointer<RowBranchEntry>?) {
    var (node, place) = (Unmanaged.passUnretained(root), position)
    for level in stride(from: height, to: 0, by: -1) {
      let branch = node._withUnsafeGuaranteedRef { unsafeDowncast($0, to: RowBranch.self) }
      let slot = branch.slot(of: &place)
      if level == 1 { return (branch.entries + slot, branch.entries + branch.count) }
      node = branch.child(at: slot)
    }
    return (nil, nil)
  }
}
