/// The root of a tree without rows.
@usableFromInline
final class NoRows: Sendable {
  static let shared = NoRows()
}

/// A persistent sequence of rows with unique ids.
///
/// Copies share nodes; a write copies only the shared nodes on one path.
///
/// The rows are in the leaves of a balanced tree, which counts them. Each leaf has a **label**, a
/// number that grows from leaf to leaf and stays when other leaves change. An index maps the hash
/// of an id to the label of the leaf that holds the row. So a row is found by its position or its
/// id in logarithmic time, and rows do not store their positions. A tree of few leaves has no
/// index; there a search scans the tags of all leaves.
@usableFromInline
struct RowTree<ID: Hashable, Row> {
  @usableFromInline let identity: RowIdentity<ID, Row>
  /// A branch, or a leaf if `height` is 0; a placeholder without rows.
  @usableFromInline var root: AnyObject
  /// The number of levels of branches.
  @usableFromInline var height = 0
  @usableFromInline var count = 0
  /// Maps hashes to labels; empty if `isIndexed` is false.
  @usableFromInline var index = HashIndex()

  @usableFromInline
  init(identity: RowIdentity<ID, Row>) {
    self.identity = identity
    root = NoRows.shared
  }

  var widths: TreeWidths { identity.widths }

  /// Whether there are so many leaves that an index finds a row faster than a scan of all leaves.
  @inlinable var isIndexed: Bool { height > 1 }

  /// Whether both share their root; then their rows are the same.
  @inlinable
  func isIdentical(to other: RowTree) -> Bool {
    root === other.root
  }

  /// Moves the root out, so that the nodes below it can change together with the index.
  mutating func takeRoot() -> AnyObject {
    let node = root
    root = NoRows.shared
    return node
  }

  /// The hash of an id.
  @inlinable
  func hash(of id: ID) -> UInt32 {
    withUnsafePointer(to: id) { IDHash.hash($0, seed: identity.seed) }
  }

  /// The hash of a row's id.
  func hash(ofRowAt row: UnsafePointer<Row>) -> UInt32 {
    var hash: UInt32 = 0
    identity.hash(row, 1, identity.seed, &hash)
    return hash
  }

  func hash(ofRow row: Row) -> UInt32 {
    withUnsafePointer(to: row) { hash(ofRowAt: $0) }
  }

  /// Whether a row has an id.
  @inlinable
  func hasID(_ id: ID, _ row: UnsafePointer<Row>) -> Bool {
    withUnsafePointer(to: id) { identity.find(row, 1, $0) } == 0
  }
}

// MARK: - Finding rows

extension RowTree {
  /// The location of a row; valid as long as the tree lives and does not change.
  ///
  /// The nodes on the path are not retained, because that would take longer than the rest of
  /// the search.
  @usableFromInline
  struct RowLocation {
    @usableFromInline let leaf: Unmanaged<RowLeaf>
    @usableFromInline let offset: Int
    /// The position of the row among all rows.
    @usableFromInline let position: Int

    @inlinable
    init(leaf: Unmanaged<AnyObject>, offset: Int, position: Int) {
      self.leaf = leaf._withUnsafeGuaranteedRef {
        Unmanaged.passUnretained(unsafeDowncast($0, to: RowLeaf.self))
      }
      self.offset = offset
      self.position = position
    }

    @inlinable var row: UnsafeMutablePointer<Row> {
      leaf._withUnsafeGuaranteedRef { $0.rows(of: Row.self) } + offset
    }

    /// The number of the leaf's rows from this one on.
    @inlinable var left: Int { leaf._withUnsafeGuaranteedRef { $0.count } - offset }
  }

  @inlinable
  func checkPosition(_ position: Int) {
    precondition(
      position >= 0 && position < count,
      "There is no element at \(position); there are \(count)",
    )
  }

  /// The leaf of the row at a position, and the row's place in it.
  @inlinable
  func location(at position: Int) -> RowLocation {
    checkPosition(position)
    return Self.location(at: position, below: root, height)
  }

  @inlinable
  static func location(at position: Int, below root: AnyObject, _ height: Int) -> RowLocation {
    var (node, offset) = (Unmanaged.passUnretained(root), position)
    for _ in 0..<height {
      node = node._withUnsafeGuaranteedRef {
        let branch = unsafeDowncast($0, to: RowBranch.self)
        return branch.child(at: branch.slot(of: &offset))
      }
    }
    return RowLocation(leaf: node, offset: offset, position: position)
  }

  /// The row with an id.
  @inlinable
  func location(of id: ID) -> RowLocation? {
    guard height == 0, count <= 4 else { return location(of: id, hash: hash(of: id)) }
    // For so few rows, a scan is faster than a hash.
    guard count > 0 else { return nil }
    let all = UInt32(1) << UInt32(count) - 1
    return withUnsafePointer(to: id) {
      location(of: $0, among: all, in: Unmanaged.passUnretained(root), from: 0)
    }
  }

  /// The row with an id whose hash is known.
  @inlinable
  func location(of id: ID, hash: UInt32) -> RowLocation? {
    guard count > 0 else { return nil }
    return withUnsafePointer(to: id) {
      isIndexed ? location(of: $0, indexed: hash) : location(of: $0, unindexed: hash)
    }
  }

  @inlinable
  func location(of id: UnsafePointer<ID>, indexed hash: UInt32) -> RowLocation? {
    var least: UInt32? = 0
    while let from = least, let label = index.label(of: hash, from: from) {
      if let location = location(of: id, hash, labelled: label) { return location }
      least = label == .max ? nil : label + 1
    }
    return nil
  }

  /// The row with an id in a tree of one leaf, or of one branch and its leaves.
  @inlinable
  func location(of id: UnsafePointer<ID>, unindexed hash: UInt32) -> RowLocation? {
    let top = Unmanaged.passUnretained(root)
    guard height > 0 else { return location(of: id, hash, in: top, from: 0) }
    return top._withUnsafeGuaranteedRef {
      let branch = unsafeDowncast($0, to: RowBranch.self)
      var first = 0
      for slot in 0..<branch.count {
        if let location = location(of: id, hash, in: branch.child(at: slot), from: first) {
          return location
        }
        first += Int(branch.entries[slot].count)
      }
      return nil
    }
  }

  @inlinable
  func location(of id: UnsafePointer<ID>, _ hash: UInt32, labelled label: UInt32) -> RowLocation? {
    var (node, first) = (Unmanaged.passUnretained(root), 0)
    for _ in 0..<height {
      node = node._withUnsafeGuaranteedRef {
        let branch = unsafeDowncast($0, to: RowBranch.self)
        let slot = branch.slot(labelled: label)
        for before in 0..<slot { first += Int(branch.entries[before].count) }
        return branch.child(at: slot)
      }
    }
    return location(of: id, hash, in: node, from: first)
  }

  @inlinable
  func location(
    of id: UnsafePointer<ID>,
    _ hash: UInt32,
    in leaf: Unmanaged<AnyObject>,
    from first: Int,
  ) -> RowLocation? {
    let candidates = leaf._withUnsafeGuaranteedRef {
      unsafeDowncast($0, to: RowLeaf.self).candidates(tag: HashIndex.tag(of: hash))
    }
    return candidates == 0 ? nil : location(of: id, among: candidates, in: leaf, from: first)
  }

  @inlinable
  func location(
    of id: UnsafePointer<ID>,
    among candidates: UInt32,
    in leaf: Unmanaged<AnyObject>,
    from first: Int,
  ) -> RowLocation? {
    let rows = leaf._withUnsafeGuaranteedRef {
      unsafeDowncast($0, to: RowLeaf.self).rows(of: Row.self)
    }
    let offset = identity.find(rows, candidates, id)
    return offset < 0 ? nil : RowLocation(leaf: leaf, offset: offset, position: first + offset)
  }
}

// MARK: - Changing rows in their places

extension RowTree {
  /// The row at a position, in an unshared leaf, for changes in place.
  @inlinable
  mutating func uniqueRow(at position: Int) -> UnsafeMutablePointer<Row> {
    checkPosition(position)
    guard height == 0 else { return uniqueRowBelowBranches(at: position) }
    Self.makeLeafUnique(&root)
    let leaf = unsafeDowncast(root, to: RowLeaf.self)
    if leaf.notes.pointee.pending != .max { forgetDigest(ofRowAt: position, in: leaf, content: 0) }
    return leaf.rows(of: Row.self) + position
  }

  @inlinable
  mutating func uniqueRowBelowBranches(at position: Int) -> UnsafeMutablePointer<Row> {
    RowBranch.makeUnique(&root)
    var branch = unsafeDowncast(root, to: RowBranch.self)
    var offset = position
    var level = height
    while true {
      let slot = branch.slot(of: &offset)
      let entry = branch.entries + slot
      let content = entry.pointee.content
      entry.pointee.content = 0
      level -= 1
      guard level > 0 else {
        Self.makeLeafUnique(&entry.pointee.child)
        let leaf = unsafeDowncast(entry.pointee.child, to: RowLeaf.self)
        if content != 0 || leaf.notes.pointee.pending >> UInt32(offset) & 1 == 0 {
          forgetDigest(ofRowAt: offset, in: leaf, content: content)
        }
        return leaf.rows(of: Row.self) + offset
      }
      RowBranch.makeUnique(&entry.pointee.child)
      branch = unsafeDowncast(entry.pointee.child, to: RowBranch.self)
    }
  }

  @inlinable
  static func makeLeafUnique(_ node: inout AnyObject) {
    guard !isUnique(&node) else { return }
    let leaf = unsafeDowncast(node, to: RowLeaf.self)
    node = leaf.copy(Row.self, capacity: leaf.count)
  }
}

extension RowBranch {
  @inlinable
  static func makeUnique(_ node: inout AnyObject) {
    guard !isUnique(&node) else { return }
    node = unsafeDowncast(node, to: RowBranch.self).copy()
  }
}
