extension PersistentSet: SetAlgebra {
  /// The elements of both sets.
  public func union(_ other: Self) -> Self {
    var result = self
    result.formUnion(other)
    return result
  }

  /// The elements that both sets have.
  public func intersection(_ other: Self) -> Self {
    filter { other.contains($0) }
  }

  /// The elements that exactly one of the sets has.
  public func symmetricDifference(_ other: Self) -> Self {
    subtracting(other).union(other.subtracting(self))
  }

  /// The elements that the other set does not have.
  public func subtracting(_ other: Self) -> Self {
    var result = self
    result.subtract(other)
    return result
  }

  /// Removes the elements of another set.
  public mutating func subtract(_ other: Self) {
    for element in other { remove(element) }
  }

  /// Inserts the elements of another set.
  public mutating func formUnion(_ other: Self) {
    for element in other { insert(element) }
  }

  /// Removes the elements that the other set does not have.
  public mutating func formIntersection(_ other: Self) {
    self = intersection(other)
  }

  /// Removes the elements that both sets have, and inserts the other elements of the other set.
  public mutating func formSymmetricDifference(_ other: Self) {
    self = symmetricDifference(other)
  }
}

extension PersistentSet: Sequence {
  /// Returns an iterator over the elements in the order of their insertion.
  @inlinable
  public func makeIterator() -> Iterator { Iterator(base: tree.makeIterator()) }

  /// The number of elements.
  @inlinable public var underestimatedCount: Int { tree.count }

  /// An iterator over the elements of a set.
  public struct Iterator: IteratorProtocol {
    @usableFromInline var base: RowTree<Element, Element>.Iterator

    @inlinable
    init(base: RowTree<Element, Element>.Iterator) {
      self.base = base
    }

    /// The next element, or nil at the end.
    @inlinable
    public mutating func next() -> Element? { base.next() }
  }
}

extension PersistentSet: Hashable {
  /// Whether both have equal elements, in any order.
  ///
  /// Two versions of one set are compared only in the nodes that differ.
  public static func == (left: Self, right: Self) -> Bool {
    guard left.count == right.count else { return false }
    guard !left.tree.isIdentical(to: right.tree) else { return true }
    let alignment = right.tree.alignment(from: left.tree) { _, _ in true }
    return alignment.removed.isEmpty && alignment.inserted.isEmpty
  }

  /// Hashes the elements independently of their order.
  public func hash(into hasher: inout Hasher) {
    var sum = 0
    for element in self {
      var entry = hasher
      entry.combine(element)
      sum &+= entry.finalize()
    }
    hasher.combine(sum)
  }
}

extension PersistentSet: Encodable where Element: Encodable {
  /// Encodes an array of the elements.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for element in self { try container.encode(element) }
  }
}

extension PersistentSet: Decodable where Element: Decodable {
  /// Decodes an array of elements.
  public init(from decoder: any Decoder) throws {
    self.init(try [Element](from: decoder))
  }
}

extension PersistentSet: CustomStringConvertible, CustomReflectable {
  /// The elements as an array's description.
  public var description: String { Array(self).description }

  /// The elements as the children of a set.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: Array(self), displayStyle: .set)
  }
}
