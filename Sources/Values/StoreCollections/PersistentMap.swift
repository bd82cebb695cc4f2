/// One entry of a map.
@usableFromInline
struct PersistentMapRow<Key: Hashable, Value> {
  @usableFromInline let key: Key
  @usableFromInline var value: Value

  @inlinable
  init(key: Key, value: Value) {
    self.key = key
    self.value = value
  }
}

/// Values by key, for state: a dictionary whose copies share their unchanged parts.
///
/// A copy takes constant time, and a change takes logarithmic time and does not affect copies.
/// `==`, digests and deltas of two versions take time proportional to their differences. Its
/// encoding equals that of a `Dictionary`.
///
/// ```swift
/// var scores: PersistentMap<String, Int> = ["Blob": 1]
/// scores["Blob", default: 0] += 1
/// ```
///
/// Iteration follows the order in which the keys were inserted, the same in every process. The
/// order is not part of the value: two maps with equal entries are equal.
///
/// A key that equals an existing one in Swift but has another encoding, like a text in another
/// normalization, finds the entry and does not replace its key. On the wire it is a different key.
public struct PersistentMap<Key: Hashable, Value> {
  @usableFromInline typealias Row = PersistentMapRow<Key, Value>

  @usableFromInline var tree: RowTree<Key, Row>

  /// Makes an empty map.
  @inlinable
  public init() {
    self.init(widths: .standard(for: Row.self))
  }

  @inlinable
  init(widths: TreeWidths) {
    let identity = RowIdentity<Key, Row>(
      read: { $0.key },
      keyPath: { \Row.key },
      find: { rows, candidates, id in
        RowIdentity<Key, Row>.first(among: candidates) { rows[$0].key == id.pointee }
      },
      hash: { rows, count, seed, hashes in
        RowIdentity<Key, Row>.hash(count, seed, hashes) { rows[$0].key }
      },
      widths: widths,
      digests: .unordered,
    )
    tree = RowTree(identity: identity)
  }

  /// Creates a map of unique keys; a duplicate key traps.
  @inlinable
  public init(uniqueKeysWithValues entries: some Sequence<(Key, Value)>) {
    self.init()
    var builder = RowTreeBuilder(identity: tree.identity)
    for (key, value) in entries { builder.append(Row(key: key, value: value)) }
    tree = builder.finish { position, key in
      preconditionFailure("Entry \(position) has a key that occurred before: \(key)")
    }
  }

  /// Creates a map from a dictionary's entries.
  ///
  /// Iteration follows the dictionary's order, which differs from process to process.
  @inlinable
  public init(_ dictionary: [Key: Value]) {
    self.init(uniqueKeysWithValues: dictionary.lazy.map { ($0.key, $0.value) })
  }

  /// The number of entries.
  @inlinable public var count: Int { tree.count }

  /// Whether the map is empty.
  @inlinable public var isEmpty: Bool { tree.count == 0 }

  /// The value of a key; setting `nil` removes the entry.
  @inlinable
  public subscript(key: Key) -> Value? {
    get { tree.location(of: key).map { $0.row.pointee.value } }
    _modify {
      if let position = tree.location(of: key)?.position {
        let row = tree.uniqueRow(at: position)
        let entry = row.move()
        var value: Value? = entry.value
        defer { putBack(entry.key, value, into: row, at: position) }
        yield &value
      } else {
        var value: Value?
        defer { if let value { append(key, value) } }
        yield &value
      }
    }
  }

  /// The value of a key, or a default, which a change inserts.
  @inlinable
  public subscript(key: Key, default defaultValue: @autoclosure () -> Value) -> Value {
    get { self[key] ?? defaultValue() }
    _modify {
      if let position = tree.location(of: key)?.position {
        yield &tree.uniqueRow(at: position).pointee.value
      } else {
        var value = defaultValue()
        defer { append(key, value) }
        yield &value
      }
    }
  }

  /// Whether the map contains a key.
  @inlinable
  public func contains(_ key: Key) -> Bool { tree.location(of: key) != nil }

  /// Sets the value of a key.
  ///
  /// - Returns: The previous value.
  @discardableResult
  public mutating func updateValue(_ value: Value, forKey key: Key) -> Value? {
    guard let position = tree.location(of: key)?.position else {
      append(key, value)
      return nil
    }
    let row = tree.uniqueRow(at: position)
    let previous = row.pointee.value
    row.pointee.value = value
    return previous
  }

  /// Removes the entry with a key.
  ///
  /// - Returns: The removed value.
  @discardableResult
  public mutating func removeValue(forKey key: Key) -> Value? {
    guard let position = tree.location(of: key)?.position else { return nil }
    return tree.remove(at: position).value
  }

  /// Removes all entries.
  public mutating func removeAll() {
    tree = RowTree(identity: tree.identity)
  }

  /// The entries for which a closure returns true.
  public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> Self {
    var result = self
    let positions = try tree.positions {
      try !isIncluded((key: $0.pointee.key, value: $0.pointee.value))
    }
    result.tree.remove(at: positions)
    return result
  }

  @usableFromInline
  mutating func append(_ key: Key, _ value: Value) {
    tree.insert(Row(key: key, value: value), at: count)
  }

  /// Returns an entry that was moved out of its leaf to its place, or closes the gap.
  @inlinable
  mutating func putBack(
    _ key: Key,
    _ value: Value?,
    into row: UnsafeMutablePointer<Row>,
    at position: Int,
  ) {
    if let value {
      row.initialize(to: Row(key: key, value: value))
    } else {
      tree.closeHole(at: position, hash: tree.isIndexed ? tree.hash(of: key) : 0)
    }
  }
}

// Sound: shared nodes never change, except for digests, which are filled in atomically; see
// `RowBranch`.
extension PersistentMap: @unchecked Sendable where Key: Sendable, Value: Sendable {}
