extension RowTree {
  /// Goes over the rows leaf by leaf.
  @usableFromInline
  struct Iterator: IteratorProtocol {
    /// Keeps the leaves alive.
    @usableFromInline let root: AnyObject
    @usableFromInline let height: Int
    @usableFromInline let count: Int
    /// The next row of the present leaf, and the end of its rows.
    @usableFromInline var row: UnsafeMutablePointer<Row>?
    @usableFromInline var end: UnsafeMutablePointer<Row>?
    /// The position of the next leaf's first row.
    @usableFromInline var position = 0

    @inlinable
    init(_ tree: RowTree) {
      root = tree.root
      height = tree.height
      count = tree.count
    }

    @inlinable
    mutating func advance() -> UnsafeMutablePointer<Row>? {
      guard row != end, let next = row else { return firstOfNextLeaf() }
      row = next + 1
      return next
    }

    @inlinable
    mutating func firstOfNextLeaf() -> UnsafeMutablePointer<Row>? {
      guard position < count else { return nil }
      let spot = RowTree.spot(at: position, below: root, height)
      let first = spot.row
      row = first + 1
      end = first + spot.left
      position += spot.left
      return first
    }

    @inlinable
    mutating func next() -> Row? {
      advance()?.pointee
    }
  }

  @inlinable
  func makeIterator() -> Iterator { Iterator(self) }

  /// Calls a closure with each row.
  @inlinable
  func forEachRow<Failure: Error>(
    _ body: (UnsafeMutablePointer<Row>) throws(Failure) -> Void
  ) throws(Failure) {
    var iterator = makeIterator()
    while let row = iterator.advance() { try body(row) }
  }
}
