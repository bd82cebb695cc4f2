extension RowTree {
  /// Iterates over the rows leaf by leaf.
  @usableFromInline
  struct Iterator: IteratorProtocol {
    @usableFromInline var leaves: LeafWalk
    /// The next row of the current leaf, and the end of its rows.
    @usableFromInline var row: UnsafeMutablePointer<Row>?
    @usableFromInline var end: UnsafeMutablePointer<Row>?

    @inlinable
    init(_ tree: RowTree) {
      leaves = LeafWalk(tree.root, height: tree.height, count: tree.count)
    }

    @inlinable
    mutating func advance() -> UnsafeMutablePointer<Row>? {
      guard row != end, let next = row else { return firstOfNextLeaf() }
      row = next + 1
      return next
    }

    @inlinable
    mutating func firstOfNextLeaf() -> UnsafeMutablePointer<Row>? {
      guard let rows = nextLeaf(), let first = rows.baseAddress else { return nil }
      row = first + 1
      end = first + rows.count
      return first
    }

    /// The rows of the next leaf, after all rows of the current one were visited.
    @inlinable
    mutating func nextLeaf() -> UnsafeMutableBufferPointer<Row>? {
      leaves.next()?._withUnsafeGuaranteedRef {
        UnsafeMutableBufferPointer(start: $0.rows(of: Row.self), count: $0.count)
      }
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
    while let rows = iterator.nextLeaf(), let first = rows.baseAddress {
      for offset in 0..<rows.count { try body(first + offset) }
    }
  }

  /// The first position whose row satisfies a closure.
  @inlinable
  func firstPosition<Failure: Error>(
    where predicate: (UnsafeMutablePointer<Row>) throws(Failure) -> Bool
  ) throws(Failure) -> Int? {
    var (iterator, position) = (makeIterator(), 0)
    while let row = iterator.advance() {
      if try predicate(row) { return position }
      position += 1
    }
    return nil
  }

  /// Copies as many rows as fit into uninitialized memory.
  ///
  /// - Returns: An iterator over the other rows, and the number of copied rows.
  @inlinable
  func copyRows(to target: UnsafeMutableBufferPointer<Row>) -> (rest: Iterator, count: Int) {
    var (iterator, copied) = (makeIterator(), 0)
    guard let base = target.baseAddress else { return (iterator, 0) }
    while copied < target.count, let rows = iterator.nextLeaf(), let first = rows.baseAddress {
      let number = min(rows.count, target.count - copied)
      (base + copied).initialize(from: first, count: number)
      copied += number
      iterator.row = first + number
      iterator.end = first + rows.count
    }
    return (iterator, copied)
  }
}
