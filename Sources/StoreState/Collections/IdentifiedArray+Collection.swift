import OrderedCollections

extension IdentifiedArray: RandomAccessCollection {
  /// The position of the first element.
  public var startIndex: Int { 0 }

  /// The position after the last element.
  public var endIndex: Int { storage.count }

  /// The element at a position; a change must keep its id.
  public subscript(position: Int) -> Element {
    get { storage.values[position] }
    _modify {
      let key = storage.keys[position]
      defer { checkIdentity(of: storage.values[position], is: key) }
      yield &storage.values[position]
    }
  }

  /// How many elements there are.
  public var count: Int { storage.count }

  /// Whether there are no elements.
  public var isEmpty: Bool { storage.isEmpty }
}

extension IdentifiedArray: ExpressibleByArrayLiteral
where Element: Identifiable, ID == Element.ID {
  /// Makes an array of the elements of a literal; an id that occurs twice traps.
  public init(arrayLiteral elements: Element...) {
    self.init(uniqueElements: elements)
  }
}

extension IdentifiedArray: Equatable where Element: Equatable {
  /// Whether both have equal elements in the same order.
  public static func == (left: Self, right: Self) -> Bool {
    left.storage.values.elementsEqual(right.storage.values)
  }
}

extension IdentifiedArray: Hashable where Element: Hashable {
  /// Mixes the elements, in their order, into a hasher.
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
  /// Decodes a plain array of elements, and refuses an id that occurs twice.
  public init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    self.init()
    while !container.isAtEnd {
      let position = container.currentIndex
      let element = try container.decode(Element.self)
      guard append(element).inserted else {
        throw DecodingError.dataCorruptedError(
          in: container,
          debugDescription: "Element \(position) has an id that occurred before: \(element.id)",
        )
      }
    }
  }
}

extension IdentifiedArray: CustomStringConvertible, CustomDebugStringConvertible {
  /// The elements as an array's description.
  public var description: String { storage.values.elements.description }

  /// The elements as an array's debug description, with the type's name.
  public var debugDescription: String {
    "IdentifiedArray<\(Element.self)>(\(storage.values.elements.debugDescription))"
  }
}

extension IdentifiedArray: CustomReflectable {
  /// The elements as the unlabelled children of a collection.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: storage.values.elements, displayStyle: .collection)
  }
}
