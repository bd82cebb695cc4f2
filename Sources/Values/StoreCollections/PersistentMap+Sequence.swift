extension PersistentMap: Sequence {
  /// A key and its value.
  public typealias Element = (key: Key, value: Value)

  /// Returns an iterator over the entries in the order in which their keys were inserted.
  @inlinable
  public func makeIterator() -> Iterator { Iterator(base: tree.makeIterator()) }

  /// The number of entries.
  @inlinable public var underestimatedCount: Int { tree.count }

  /// The keys in the order of their insertion.
  public var keys: [Key] { map(\.key) }

  /// The values in the order in which their keys were inserted.
  public var values: [Value] { map(\.value) }

  /// An iterator over the entries of a map.
  public struct Iterator: IteratorProtocol {
    @usableFromInline var base: RowTree<Key, PersistentMapRow<Key, Value>>.Iterator

    @inlinable
    init(base: RowTree<Key, PersistentMapRow<Key, Value>>.Iterator) {
      self.base = base
    }

    /// The next entry, or nil at the end.
    @inlinable
    public mutating func next() -> Element? {
      base.advance().map { ($0.pointee.key, $0.pointee.value) }
    }
  }
}

extension PersistentMap: ExpressibleByDictionaryLiteral {
  /// Creates a map from the entries of a literal; a duplicate key traps.
  public init(dictionaryLiteral elements: (Key, Value)...) {
    self.init(uniqueKeysWithValues: elements)
  }
}

extension PersistentMap: Equatable where Value: Equatable {
  /// Whether both have equal values for equal keys, in any order.
  ///
  /// Two versions of one map are compared only in the nodes that differ.
  public static func == (left: Self, right: Self) -> Bool {
    guard left.count == right.count else { return false }
    guard !left.tree.isIdentical(to: right.tree) else { return true }
    let alignment = right.tree.alignment(from: left.tree) { _, _ in true }
    return alignment.removed.isEmpty && alignment.inserted.isEmpty
      && alignment.pairs.allSatisfy { value($0.old) == value($0.new) }
  }

  private static func value(_ row: UnsafeMutableRawPointer) -> Value {
    row.assumingMemoryBound(to: Row.self).pointee.value
  }
}

extension PersistentMap: Hashable where Value: Hashable {
  /// Hashes the entries independently of their order.
  public func hash(into hasher: inout Hasher) {
    var sum = 0
    for (key, value) in self {
      var entry = hasher
      entry.combine(key)
      entry.combine(value)
      sum &+= entry.finalize()
    }
    hasher.combine(sum)
  }
}

extension PersistentMap: Encodable where Key: Encodable, Value: Encodable {
  /// Encodes a dictionary.
  ///
  /// The encoder receives a dictionary, so it can apply an order of its own.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Dictionary(uniqueKeysWithValues: map { ($0.key, $0.value) }))
  }
}

extension PersistentMap: Decodable where Key: Decodable, Value: Decodable {
  /// Decodes a dictionary.
  public init(from decoder: any Decoder) throws {
    self.init(try [Key: Value](from: decoder))
  }
}

extension PersistentMap: CustomStringConvertible, CustomReflectable {
  /// The entries as a dictionary's description.
  public var description: String {
    isEmpty ? "[:]" : "[" + map { "\($0.key): \($0.value)" }.joined(separator: ", ") + "]"
  }

  /// The entries as the children of a dictionary.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: Array(self), displayStyle: .dictionary)
  }
}
