// Iteration leaf by leaf; the standard library's defaults would look up each position.
extension IdentifiedArray {
  /// Returns an iterator over the elements in order.
  @inlinable
  public func makeIterator() -> Iterator {
    Iterator(base: tree.makeIterator())
  }

  /// An iterator over the elements of an identified array.
  public struct Iterator: IteratorProtocol {
    @usableFromInline var base: RowTree<ID, Element>.Iterator

    @inlinable
    init(base: RowTree<ID, Element>.Iterator) {
      self.base = base
    }

    /// The next element, or nil at the end.
    @inlinable
    public mutating func next() -> Element? { base.next() }
  }

  /// The results of a closure for the elements, in order.
  @inlinable
  public func map<Result, Failure: Error>(
    _ transform: (Element) throws(Failure) -> Result
  ) throws(Failure) -> [Result] {
    var results: [Result] = []
    results.reserveCapacity(count)
    try tree.forEachRow { (row) throws(Failure) in results.append(try transform(row.pointee)) }
    return results
  }

  /// The position of the first element for which a closure returns true.
  @inlinable
  public func firstIndex(where predicate: (Element) throws -> Bool) rethrows -> Int? {
    try tree.firstPosition { try predicate($0.pointee) }
  }

  /// The elements for which a closure returns true, in order.
  @inlinable
  public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> Self {
    var result = self
    result.remove(atSorted: try tree.positions { try !isIncluded($0.pointee) })
    return result
  }

  /// Removes the elements for which a closure returns true.
  @inlinable
  public mutating func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
    remove(atSorted: try tree.positions { try shouldBeRemoved($0.pointee) })
  }

  @usableFromInline
  mutating func remove(atSorted positions: [Int]) { tree.remove(at: positions) }

  /// Calls a closure with the elements' memory, if it is contiguous.
  ///
  /// - Returns: The closure's result; nil if the elements are in several leaves.
  @inlinable
  public func withContiguousStorageIfAvailable<Result>(
    _ body: (UnsafeBufferPointer<Element>) throws -> Result
  ) rethrows -> Result? {
    guard tree.height == 0 else { return nil }
    guard tree.count > 0 else { return try body(UnsafeBufferPointer(start: nil, count: 0)) }
    return try withExtendedLifetime(tree) {
      try body(UnsafeBufferPointer(start: tree.location(at: 0).row, count: tree.count))
    }
  }

  /// Copies elements into uninitialized memory, for the standard library.
  ///
  /// - Parameter buffer: The memory.
  /// - Returns: An iterator over the elements that did not fit, and the number of copied elements.
  @inlinable
  public func _copyContents(
    initializing buffer: UnsafeMutableBufferPointer<Element>
  ) -> (Iterator, UnsafeMutableBufferPointer<Element>.Index) {
    let (rest, count) = tree.copyRows(to: buffer)
    return (Iterator(base: rest), count)
  }
}
