public import StoreState

/// The items of an array.
///
/// Rows that are changed by deltas stand in a tree, as those of an `IdentifiedArray` do: a delta
/// takes logarithmic time, a copy none, and comparing two versions, or their digests, takes as long
/// as their differences. The first delta puts them there.
public struct GenericItems: Sendable {
  typealias Rows = IdentifiedArray<GenericValue, GenericValue>

  enum Storage: Sendable {
    case plain([GenericValue])
    indirect case rows(Rows, idField: String)
  }

  private(set) var storage: Storage

  /// The items of a plain array.
  public init(_ items: [GenericValue]) { storage = .plain(items) }

  /// The items in a plain array; a copy where they are rows.
  package var plain: [GenericValue] {
    switch storage {
    case .plain(let items): items
    case .rows(let rows, _): Array(rows)
    }
  }

  /// Where the row with an id stands.
  ///
  /// - Parameters:
  ///   - id: The id.
  ///   - field: The field in which the rows have theirs.
  /// - Returns: Its place; nil where there is no such row.
  package func place(of id: GenericValue, in field: String) -> Int? {
    if case .rows(let rows, field) = storage { return rows.index(id: id) }
    return firstIndex { $0[field: field] == id }
  }

  /// Changes the items as rows.
  ///
  /// - Parameters:
  ///   - field: The field in which the rows have their ids.
  ///   - body: Is given the rows.
  /// - Throws: A `CodecError` where two rows have one id, and what `body` throws. What is left of
  ///   the items then must be thrown away.
  mutating func changeRows(
    withIDsIn field: String,
    _ body: (inout Rows) throws(CodecError) -> Void,
  ) throws(CodecError) {
    var rows = try rows(withIDsIn: field)
    // The only reference to the rows, so that they can change in place.
    storage = .plain([])
    try body(&rows)
    storage = .rows(rows, idField: field)
  }

  private func rows(withIDsIn field: String) throws(CodecError) -> Rows {
    if case .rows(let rows, field) = storage { return rows }
    return try Rows(
      plain,
      read: { $0[id: field] },
      keyPath: { \.[id: field] },
      duplicate: { (place, id) throws(CodecError) in
        throw CodecError(.notCanonical, "the id \(id.foundText) stands there twice")
          .inside(.index(place))
      },
    )
  }

  /// The digest of the items in order; of rows it takes as long as the changes since it was asked
  /// for last.
  var digest: Digest {
    switch storage {
    case .plain(let items): items._$digest
    case .rows(let rows, _): rows.sequenceDigest
    }
  }
}

extension GenericValue {
  /// The id of a row that has it in a field.
  fileprivate subscript(id field: String) -> GenericValue { self[field: field] ?? .null }
}

extension GenericItems: RandomAccessCollection {
  /// The position of the first item.
  public var startIndex: Int { 0 }

  /// The position after the last item.
  public var endIndex: Int {
    switch storage {
    case .plain(let items): items.count
    case .rows(let rows, _): rows.count
    }
  }

  /// The item at a position, in logarithmic time where the items are rows.
  public subscript(position: Int) -> GenericValue {
    switch storage {
    case .plain(let items): items[position]
    case .rows(let rows, _): rows[position]
    }
  }

  /// Goes over the items in their order.
  public func makeIterator() -> Iterator {
    switch storage {
    case .plain(let items): .plain(items.makeIterator())
    case .rows(let rows, _): .rows(rows.makeIterator())
    }
  }

  /// Goes over items.
  public enum Iterator: IteratorProtocol {
    case plain(IndexingIterator<[GenericValue]>)
    case rows(IdentifiedArray<GenericValue, GenericValue>.Iterator)

    /// The next item, or nil at the end.
    public mutating func next() -> GenericValue? {
      switch self {
      case .plain(var items):
        defer { self = .plain(items) }
        return items.next()
      case .rows(var rows):
        defer { self = .rows(rows) }
        return rows.next()
      }
    }
  }
}

extension GenericItems: Hashable {
  /// Whether both have the same items in the same order.
  public static func == (left: Self, right: Self) -> Bool {
    switch (left.storage, right.storage) {
    case (.plain(let left), .plain(let right)): left == right
    case (.rows(let left, _), .rows(let right, _)): left == right
    default: left.elementsEqual(right)
    }
  }

  /// Mixes the items, in their order, into a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for item in self { hasher.combine(item) }
  }
}
