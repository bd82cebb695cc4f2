extension IdentifiedArray: RandomAccessCollection, MutableCollection {
  /// The position of the first element.
  @inlinable public var startIndex: Int { 0 }

  /// The position after the last element.
  @inlinable public var endIndex: Int { tree.count }

  /// The element at a position.
  ///
  /// Setting an element with another id replaces the element at the position. If the array already
  /// has an element with the new id, the two elements first swap places. A change in place must
  /// keep the id.
  ///
  /// Takes logarithmic time. To visit all elements use `for`, which takes constant time
  /// per element.
  @inlinable
  public subscript(position: Int) -> Element {
    get { tree.location(at: position).row.pointee }
    _modify {
      let row = tree.uniqueRow(at: position)
      let key = tree.identity.read(row.pointee)
      defer { checkIdentity(of: row, is: key) }
      yield &row.pointee
    }
    set { replace(at: position, with: newValue) }
  }

  @usableFromInline
  mutating func replace(at position: Int, with element: Element) {
    let id = tree.identity.read(element)
    if let other = index(id: id) {
      if other != position { swapAt(position, other) }
      update(element, at: position)
    } else {
      remove(at: position)
      insert(element, at: position)
    }
  }

  /// The number of elements.
  @inlinable public var count: Int { tree.count }

  /// Whether there are no elements.
  @inlinable public var isEmpty: Bool { tree.count == 0 }
}

extension IdentifiedArray: RangeReplaceableCollection
where Element: Identifiable, ID == Element.ID {
  /// Replaces the elements in a range of positions.
  ///
  /// A new element whose id is elsewhere in the array replaces the element there, in its place.
  public mutating func replaceSubrange(
    _ bounds: Range<Int>,
    with elements: some Collection<Element>,
  ) {
    removeSubrange(bounds)
    var position = bounds.lowerBound
    for element in elements where updateOrInsert(element, at: position).originalMember == nil {
      position += 1
    }
  }
}

extension IdentifiedArray: ExpressibleByArrayLiteral
where Element: Identifiable, ID == Element.ID {
  /// Creates an array from the elements of a literal; a duplicate id traps.
  public init(arrayLiteral elements: Element...) {
    self.init(uniqueElements: elements)
  }
}

extension IdentifiedArray: Equatable where Element: Equatable {
  /// Whether both have equal elements in the same order.
  ///
  /// Two versions of one array are compared only in the nodes that differ.
  public static func == (left: Self, right: Self) -> Bool {
    left.tree.isEquivalent(to: right.tree) { $0.pointee == $1.pointee }
  }
}

extension IdentifiedArray: Hashable where Element: Hashable {
  /// Hashes the elements in order.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for element in self { hasher.combine(element) }
  }
}

extension IdentifiedArray: Encodable where Element: Encodable {
  /// Encodes the elements as a plain array.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for element in self { try container.encode(element) }
  }
}

extension IdentifiedArray: Decodable
where Element: Decodable & Identifiable, ID == Element.ID {
  /// Decodes a plain array of elements; throws for a duplicate id.
  public init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    self.init()
    var builder = RowTreeBuilder(identity: tree.identity)
    while !container.isAtEnd { builder.append(try container.decode(Element.self)) }
    tree = try builder.finish { (position, id) throws(DecodingError) in
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "Element \(position) has an id that occurred before: \(id)",
      )
    }
  }
}

extension IdentifiedArray: CustomStringConvertible, CustomDebugStringConvertible {
  /// The elements as an array's description.
  public var description: String { Array(self).description }

  /// The elements as an array's debug description, with the type's name.
  public var debugDescription: String {
    "IdentifiedArray<\(Element.self)>(\(Array(self).debugDescription))"
  }
}

extension IdentifiedArray: CustomReflectable {
  /// The elements as the unlabeled children of a collection.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: Array(self), displayStyle: .collection)
  }
}
