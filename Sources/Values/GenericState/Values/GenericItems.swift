public import StoreState

/// The items of an array.
///
/// Rows to which deltas are applied are in a tree, like those of an `IdentifiedArray`: a delta
/// takes logarithmic time, a copy constant time, and comparisons and digests take time proportional
/// to the differences. The first delta moves them there.
public struct GenericItems: Sendable {
  typealias Rows = IdentifiedArray<GenericValue, GenericValue>

  enum Storage: Sendable {
    case plain([GenericValue])
    indirect case rows(Rows, idField: String)
  }

  private(set) var storage: Storage

  /// The items of a plain array.
  public init(_ items: [GenericValue]) { storage = .plain(items) }

  /// The items in a plain array; a copy if they are rows.
  package var plain: [GenericValue] {
    switch storage {
    case .plain(let items): items
    case .rows(let rows, _): Array(rows)
    }
  }

  /// The index of the row with an id.
  ///
  /// - Parameters:
  ///   - id: The id.
  ///   - field: The id field of the rows.
  /// - Returns: Its index; nil if there is no such row.
  package func place(of id: GenericValue, in field: String) -> Int? {
    if case .rows(let rows, field) = storage { return rows.index(id: id) }
    return firstIndex { $0[field: field] == id }
  }

  /// Changes the items as rows.
  ///
  /// - Parameters:
  ///   - field: The id field of the rows.
  ///   - body: Changes the rows.
  /// - Throws: A `CodecError` if two rows have the same id, or the error of `body`. The items must
  ///   then be discarded.
  mutating func changeRows(
    withIDsIn field: String,
    _ body: (inout Rows) throws(CodecError) -> Void,
  ) throws(CodecError) {
    var rows = try rows(withIDsIn: field)
    // The only reference to the rows, so they can change in place.
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

  /// The digest of the items in order; for rows the cost is proportional to the changes since the
  /// last call.
  var digest: Digest {
    switch storage {
    case .plain(let items): items._$digest
    case .rows(let rows, _): rows.sequenceDigest
    }
  }
}

extension GenericValue {
  /// The id of a row with the given id field.
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

  /// The item at a position; takes logarithmic time if the items are rows.
  public subscript(position: Int) -> GenericValue {
    switch storage {
    case .plain(let items): items[position]
    case .rows(let rows, _): rows[position]
    }
  }

  /// Returns an iterator over the items in order.
  public func makeIterator() -> Iterator {
    switch storage {
    case .plain(let items): .plain(items.makeIterator())
    case .rows(let rows, _): .rows(rows.makeIterator())
    }
  }

  /// An iterator over items.
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

  /// Hashes the items in order.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for item in self { hasher.combine(item) }
  }
}
