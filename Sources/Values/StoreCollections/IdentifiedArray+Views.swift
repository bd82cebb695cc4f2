extension IdentifiedArray {
  /// The ids in the order of the elements.
  public var ids: IDs { IDs(rows: .elements(tree)) }

  /// The elements in their order.
  @inlinable public var elements: Elements { Elements(base: self) }

  /// The ids of an identified array, in the order of its elements.
  public struct IDs: RandomAccessCollection, ExpressibleByArrayLiteral, Hashable {
    @usableFromInline
    enum Rows {
      case elements(RowTree<ID, Element>)
      case ids(RowTree<ID, ID>)
    }

    @usableFromInline let rows: Rows

    init(rows: Rows) {
      self.rows = rows
    }

    /// Creates a view of the ids of a literal; a duplicate id traps.
    public init(arrayLiteral elements: ID...) {
      let ids = IdentifiedArray<ID, ID>(uniqueElements: elements, id: \.self)
      rows = .ids(ids.tree)
    }

    /// The position of the first id.
    public var startIndex: Int { 0 }

    /// The position after the last id.
    public var endIndex: Int {
      switch rows {
      case .elements(let tree): tree.count
      case .ids(let tree): tree.count
      }
    }

    /// The id at a position.
    public subscript(position: Int) -> ID {
      switch rows {
      case .elements(let tree): tree.identity.read(tree.location(at: position).row.pointee)
      case .ids(let tree): tree.location(at: position).row.pointee
      }
    }

    /// Returns an iterator over the ids in order.
    @inlinable
    public func makeIterator() -> Iterator {
      switch rows {
      case .elements(let tree): Iterator(elements: tree.makeIterator(), read: tree.identity.read)
      case .ids(let tree): Iterator(ids: tree.makeIterator())
      }
    }

    /// Whether the array contains an id, in logarithmic time.
    public func contains(_ id: ID) -> Bool { firstIndex(of: id) != nil }

    /// The index of an id, in logarithmic time.
    public func firstIndex(of id: ID) -> Int? {
      switch rows {
      case .elements(let tree): tree.location(of: id)?.position
      case .ids(let tree): tree.location(of: id)?.position
      }
    }

    /// The index of an id, in logarithmic time.
    public func lastIndex(of id: ID) -> Int? { firstIndex(of: id) }

    /// Whether both have the same ids in the same order.
    public static func == (left: Self, right: Self) -> Bool {
      if case (.elements(let one), .elements(let other)) = (left.rows, right.rows) {
        let read = one.identity.read
        return one.isEquivalent(to: other) { read($0.pointee) == read($1.pointee) }
      }
      return left.elementsEqual(right)
    }

    /// Hashes the ids in order.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(count)
      for id in self { hasher.combine(id) }
    }

    /// An iterator over the ids of an identified array.
    public struct Iterator: IteratorProtocol {
      @usableFromInline var elements: RowTree<ID, Element>.Iterator?
      @usableFromInline var read: ((Element) -> ID)?
      @usableFromInline var ids: RowTree<ID, ID>.Iterator?

      @inlinable
      init(elements: RowTree<ID, Element>.Iterator, read: @escaping (Element) -> ID) {
        self.elements = elements
        self.read = read
      }

      @inlinable
      init(ids: RowTree<ID, ID>.Iterator) {
        self.ids = ids
      }

      /// The next id, or nil at the end.
      @inlinable
      public mutating func next() -> ID? {
        if let read {
          guard let row = elements?.advance() else { return nil }
          return read(row.pointee)
        }
        return ids?.next()
      }
    }
  }

  /// The elements of an identified array in order, without access by id.
  public struct Elements: RandomAccessCollection {
    @usableFromInline let base: IdentifiedArray

    @inlinable
    init(base: IdentifiedArray) {
      self.base = base
    }

    /// The position of the first element.
    @inlinable public var startIndex: Int { 0 }

    /// The position after the last element.
    @inlinable public var endIndex: Int { base.count }

    /// The element at a position.
    @inlinable public subscript(position: Int) -> Element { base[position] }

    /// Returns an iterator over the elements in order.
    @inlinable
    public func makeIterator() -> IdentifiedArray.Iterator { base.makeIterator() }

    /// The results of a closure for the elements, in order.
    @inlinable
    public func map<Result, Failure: Error>(
      _ transform: (Element) throws(Failure) -> Result
    ) throws(Failure) -> [Result] {
      try base.map(transform)
    }
  }
}

// Sound for the same reason as for arrays: see `IdentifiedArray`.
extension IdentifiedArray.IDs: @unchecked Sendable where ID: Sendable, Element: Sendable {}

extension IdentifiedArray.IDs: CustomStringConvertible, CustomReflectable {
  /// The ids as an array's description.
  public var description: String { Array(self).description }

  /// The ids as the unlabeled children of a collection.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: Array(self), displayStyle: .collection)
  }
}

extension IdentifiedArray.Elements: Sendable where ID: Sendable, Element: Sendable {}

extension IdentifiedArray.Elements: Equatable where Element: Equatable {
  /// Whether both have equal elements in the same order.
  public static func == (left: Self, right: Self) -> Bool {
    left.base == right.base
  }

  /// Whether an array has equal elements in the same order.
  public static func == (left: Self, right: [Element]) -> Bool {
    left.elementsEqual(right)
  }
}

extension IdentifiedArray.Elements: Hashable where Element: Hashable {
  /// Hashes the elements in order.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for element in self { hasher.combine(element) }
  }
}

extension IdentifiedArray.Elements: CustomStringConvertible, CustomReflectable {
  /// The elements as an array's description.
  public var description: String { Array(self).description }

  /// The elements as the unlabeled children of a collection.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: Array(self), displayStyle: .collection)
  }
}
