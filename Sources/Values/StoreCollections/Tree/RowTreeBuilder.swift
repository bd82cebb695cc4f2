/// Builds a tree from a sequence of rows, in linear time.
///
/// Rows are appended to the last leaf, and the ids of a full leaf are hashed together. Rows do not
/// move, and each id is hashed once. Memory is allocated leaf by leaf.
@usableFromInline
struct RowTreeBuilder<ID: Hashable, Row> {
  @usableFromInline let identity: RowIdentity<ID, Row>
  /// The place of the next row, the end of the last leaf's capacity, and the leaf's header.
  @usableFromInline var next: UnsafeMutablePointer<Row>?
  @usableFromInline var end: UnsafeMutablePointer<Row>?
  @usableFromInline var notes: UnsafeMutablePointer<RowLeafHeader>?
  private var built: BuiltLeaves
  /// The capacity of the first leaf.
  private let least: Int

  /// Creates a builder.
  ///
  /// - Parameters:
  ///   - identity: The identity of the tree.
  ///   - capacity: The expected number of rows, if known.
  @usableFromInline
  init(identity: RowIdentity<ID, Row>, reserving capacity: Int = 0) {
    self.identity = identity
    built = BuiltLeaves(reserving: capacity, width: identity.widths.leaf)
    least = capacity > 0 ? min(capacity, identity.widths.leaf) : identity.widths.leaf
  }

  /// Appends a row.
  @inlinable
  mutating func append(_ row: consuming Row) {
    if next == end { makeRoom() }
    guard let next, let notes else { preconditionFailure("A builder has no leaf for a row.") }
    next.initialize(to: row)
    notes.pointee.count &+= 1
    self.next = next + 1
  }

  /// Begins a leaf, or enlarges the first one if there are more rows than expected.
  @usableFromInline
  mutating func makeRoom() {
    let width = identity.widths.leaf
    if let last = built.leaves.last, last.count < width {
      let larger = last.moved(Row.self, capacity: width)
      built.replaceLast(by: larger)
      return use(larger)
    }
    closeLeaf()
    let leaf = RowLeaf.make(Row.self, capacity: built.leaves.isEmpty ? least : width)
    built.append(leaf)
    use(leaf)
  }

  private mutating func use(_ leaf: RowLeaf) {
    let rows = leaf.rows(of: Row.self)
    (notes, next, end) = (leaf.notes, rows + leaf.count, rows + leaf.room)
  }

  private mutating func closeLeaf() {
    guard let leaf = built.leaves.last else { return }
    let (rows, count) = (leaf.rows(of: Row.self), leaf.count)
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: count) { hashes in
      guard let first = hashes.baseAddress else { return }
      identity.hash(rows, count, identity.seed, first)
      built.note(UnsafeBufferPointer(hashes))
    }
  }

  /// Finishes the tree.
  ///
  /// - Parameter duplicate: Called with the first place of a row with a duplicate id, and with
  ///   the id.
  /// - Returns: The tree.
  /// - Throws: The error of `duplicate`.
  @usableFromInline
  consuming func finish<Failure: Error>(
    duplicate: (Int, ID) throws(Failure) -> Void
  ) throws(Failure) -> RowTree<ID, Row> {
    closeLeaf()
    var tree = RowTree(identity: identity)
    guard let last = built.leaves.last else { return tree }
    tree.count = (built.leaves.count - 1) * identity.widths.leaf + last.count
    guard built.leaves.count > 1 else {
      if let place = firstDuplicate(in: last) { try duplicate(place, id(at: place)) }
      // A small array should not occupy the memory of a full leaf.
      tree.root = last.count < last.room ? last.moved(Row.self, capacity: last.count) : last
      return tree
    }
    built.sort()
    if let place = firstDuplicate() { try duplicate(place, id(at: place)) }
    let layout = LabelSpace.layout(leaves: built.leaves.count)
    (tree.root, tree.height) = built.raise(width: identity.widths.branch, layout)
    if tree.isIndexed { tree.index = built.makeIndex(layout) }
    return tree
  }

  // MARK: - Duplicates

  private func row(at place: Int) -> UnsafeMutablePointer<Row> {
    let (leaf, offset) = place.quotientAndRemainder(dividingBy: identity.widths.leaf)
    return built.leaves[leaf].rows(of: Row.self) + offset
  }

  private func id(at place: Int) -> ID { identity.read(row(at: place).pointee) }

  /// The first place of a row with a duplicate id; nil if all ids differ.
  private func firstDuplicate() -> Int? {
    var first: Int?
    built.forEachCollision { hash, leaves in
      let places = Set(leaves).sorted().flatMap { leaf in
        built.leaves[leaf].places(tag: HashIndex.tag(of: hash)).map {
          leaf * identity.widths.leaf + $0
        }
      }
      if let place = firstDuplicate(at: places), place < first ?? .max { first = place }
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

  private func firstDuplicate(in leaf: RowLeaf) -> Int? {
    let (rows, tags) = (leaf.rows(of: Row.self), leaf.tags)
    for place in 0..<leaf.count {
      let earlier = leaf.candidates(tag: tags[place]) & (1 << UInt32(place) - 1)
      guard earlier != 0 else { continue }
      let id = identity.read(rows[place])
      if withUnsafePointer(to: id, { identity.find(rows, earlier, $0) }) >= 0 { return place }
    }
    return nil
  }
}
