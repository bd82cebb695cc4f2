import OrderedCollections

extension IdentifiedArray {
  /// The ids in the order of the elements.
  public var ids: IDs { IDs(storage: storage.keys) }

  /// The elements in their order.
  public var elements: Elements { Elements(base: self) }

  /// The ids of an identified array, in the order of its elements.
  public struct IDs: RandomAccessCollection, ExpressibleByArrayLiteral, Hashable {
    private let storage: OrderedSet<ID>

    init(storage: OrderedSet<ID>) {
      self.storage = storage
    }

    /// Makes a view of the ids of a literal; an id that occurs twice traps.
    public init(arrayLiteral elements: ID...) {
      storage = OrderedSet(elements)
      precondition(
        storage.count == elements.count,
        "\(elements.count - storage.count) of \(elements.count) ids occur more than once",
      )
    }

    /// The position of the first id.
    public var startIndex: Int { 0 }

    /// The position after the last id.
    public var endIndex: Int { storage.count }

    /// The id at a position.
    public subscript(position: Int) -> ID { storage[position] }

    /// Whether an id is there, in constant time.
    public func contains(_ id: ID) -> Bool { storage.contains(id) }

    /// Where an id stands, in constant time.
    public func firstIndex(of id: ID) -> Int? { storage.firstIndex(of: id) }

    /// Where an id stands, in constant time.
    public func lastIndex(of id: ID) -> Int? { storage.lastIndex(of: id) }
  }

  /// The elements of an identified array, in their order, without their ids.
  public struct Elements: RandomAccessCollection {
    private let base: IdentifiedArray

    init(base: IdentifiedArray) {
      self.base = base
    }

    /// The position of the first element.
    public var startIndex: Int { 0 }

    /// The position after the last element.
    public var endIndex: Int { base.count }

    /// The element at a position.
    public subscript(position: Int) -> Element { base[position] }
  }
}

extension IdentifiedArray.IDs: Sendable where ID: Sendable, Element: Sendable {}

extension IdentifiedArray.IDs: CustomStringConvertible, CustomReflectable {
  /// The ids as an array's description.
  public var description: String { Array(self).description }

  /// The ids as the unlabelled children of a collection.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: Array(self), displayStyle: .collection)
  }
}

extension IdentifiedArray.Elements: Sendable where ID: Sendable, Element: Sendable {}

extension IdentifiedArray.Elements: Equatable where Element: Equatable {
  /// Whether both have equal elements in the same order.
  public static func == (left: Self, right: Self) -> Bool {
    left.elementsEqual(right)
  }

  /// Whether an array has equal elements in the same order.
  public static func == (left: Self, right: [Element]) -> Bool {
    left.elementsEqual(right)
  }
}

extension IdentifiedArray.Elements: Hashable where Element: Hashable {
  /// Mixes the elements, in their order, into a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for element in self { hasher.combine(element) }
  }
}

extension IdentifiedArray.Elements: CustomStringConvertible, CustomReflectable {
  /// The elements as an array's description.
  public var description: String { Array(self).description }

  /// The elements as the unlabelled children of a collection.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: Array(self), displayStyle: .collection)
  }
}
