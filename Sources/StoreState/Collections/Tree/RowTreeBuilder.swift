/// Builds a tree of rows that come one after the other, in linear time.
@usableFromInline
struct RowTreeBuilder<ID: Hashable, Row> {
  private let identity: RowIdentity<ID, Row>
  private var leaves: [RowLeaf] = []
  private var hashes: [UInt32] = []
  private var count = 0

  @usableFromInline
  init(identity: RowIdentity<ID, Row>, reserving capacity: Int = 0) {
    self.identity = identity
    leaves.reserveCapacity(capacity / identity.widths.leaf + 1)
    hashes.reserveCapacity(capacity)
  }

  private var width: Int { identity.widths.leaf }

  /// Appends a row.
  @usableFromInline
  mutating func append(_ row: consuming Row) {
    if count % width == 0 { leaves.append(RowLeaf.make(Row.self, capacity: width)) }
    let hash = HashIndex.hash(of: identity.read(row))
    hashes.append(hash)
    let leaf = leaves[leaves.count - 1]
    leaf.tags[leaf.count] = HashIndex.tag(of: hash)
    (leaf.rows(of: Row.self) + leaf.count).initialize(to: row)
    leaf.notes.pointee.count += 1
    count += 1
  }

  /// Finishes the tree.
  ///
  /// - Parameter duplicate: Called with the first place of a row whose id occurred before, and
  ///   with the id.
  /// - Returns: The tree.
  /// - Throws: What `duplicate` throws.
  @usableFromInline
  func finish<Failure: Error>(
    duplicate: (Int, ID) throws(Failure) -> Void
  ) throws(Failure) -> RowTree<ID, Row> {
    var tree = RowTree(identity: identity)
    tree.count = count
    guard leaves.count > 1 else {
      // A small array should not keep room for a large leaf's rows.
      guard let first = leaves.first else { return tree }
      let leaf = first.moved(Row.self, capacity: count)
      tree.root = leaf
      if let (place, id) = firstDuplicate(in: leaf) { try duplicate(place, id) }
      return tree
    }
    var pairs = hashes.enumerated().map { UInt64($1) << 32 | UInt64($0) }
    HashIndex.sort(&pairs)
    if let place = firstDuplicate(pairs) { try duplicate(place, id(at: place)) }
    let layout = LabelSpace.layout(leaves: leaves.count)
    for place in pairs.indices {
      let leaf = Int(UInt32(truncatingIfNeeded: pairs[place])) / width
      let label = UInt32(layout.first + leaf * layout.distance)
      pairs[place] = HashIndex.pair(UInt32(pairs[place] >> 32), label)
    }
    raise(&tree, layout)
    if tree.isIndexed { tree.index = HashIndex(sorted: pairs) }
    return tree
  }

  private func raise(_ tree: inout RowTree<ID, Row>, _ layout: (first: Int, distance: Int)) {
    var level = leaves.enumerated().map { place, leaf in
      let label = UInt32(layout.first + place * layout.distance)
      return RowBranchEntry(child: leaf, label: label, count: leaf.count)
    }
    while level.count > 1 {
      var upper: [RowBranchEntry] = []
      for start in stride(from: 0, to: level.count, by: identity.widths.branch) {
        let branch = RowBranch.make(capacity: identity.widths.branch)
        for entry in level[start..<min(start + identity.widths.branch, level.count)] {
          branch.insert(entry, at: branch.count)
        }
        upper.append(
          RowBranchEntry(child: branch, label: branch.entries[0].label, count: branch.total)
        )
      }
      level = upper
      tree.height += 1
    }
    tree.root = level[0].child
  }

  // MARK: - Duplicates

  private func id(at place: Int) -> ID {
    identity.read(leaves[place / width].rows(of: Row.self)[place % width])
  }

  /// The first place of a row whose id occurred before.
  ///
  /// - Parameter pairs: Hashes and places in ascending order.
  /// - Returns: The place, or nil when all ids differ.
  private func firstDuplicate(_ pairs: [UInt64]) -> Int? {
    var first: Int?
    var start = 0
    for end in 1...pairs.count {
      if end < pairs.count, pairs[end] >> 32 == pairs[start] >> 32 { continue }
      if end - start > 1 {
        let places = pairs[start..<end].map { Int(UInt32(truncatingIfNeeded: $0)) }
        if let place = firstDuplicate(at: places), place < first ?? .max { first = place }
      }
      start = end
    }
    return first
  }

  private func firstDuplicate(at places: [Int]) -> Int? {
    for (index, place) in places.enumerated() {
      let id = id(at: place)
      if places[..<index].contains(where: { self.id(at: $0) == id }) { return place }
    }
    return nil
  }

  private func firstDuplicate(in leaf: RowLeaf) -> (Int, ID)? {
    for place in 0..<count {
      for earlier in 0..<place where hashes[earlier] == hashes[place] {
        let id = identity.read(leaf.rows(of: Row.self)[place])
        if identity.read(leaf.rows(of: Row.self)[earlier]) == id { return (place, id) }
      }
    }
    return nil
  }
}
