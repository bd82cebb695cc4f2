/// Elements without order, for state: a set whose copies share their unchanged parts.
///
/// A copy takes constant time, and a change takes logarithmic time and does not affect copies.
/// `==`, digests and deltas of two versions take time proportional to their differences. Its
/// encoding equals that of a `Set`.
///
/// Iteration follows the order of insertion, the same in every process. The order is not part of
/// the value: two sets with equal elements are equal.
public struct PersistentSet<Element: Hashable> {
  @usableFromInline var tree: RowTree<Element, Element>

  /// Makes an empty set.
  @inlinable
  public init() {
    self.init(widths: .standard(for: Element.self))
  }

  @inlinable
  init(widths: TreeWidths) {
    let identity = RowIdentity<Element, Element>(
      read: { $0 },
      keyPath: { \Element.self },
      find: { rows, candidates, id in
        RowIdentity<Element, Element>.first(among: candidates) { rows[$0] == id.pointee }
      },
      hash: { rows, count, seed, hashes in
        RowIdentity<Element, Element>.hash(count, seed, hashes) { rows[$0] }
      },
      widths: widths,
      digests: .unordered,
    )
    tree = RowTree(identity: identity)
  }

  /// Creates a set from elements, which may contain duplicates.
  public init(_ elements: some Sequence<Element>) {
    self.init()
    for element in elements { insert(element) }
  }

  /// The number of elements.
  @inlinable public var count: Int { tree.count }

  /// Whether the set is empty.
  @inlinable public var isEmpty: Bool { tree.count == 0 }

  /// Whether the set contains an element.
  @inlinable
  public func contains(_ member: Element) -> Bool { tree.location(of: member) != nil }

  /// Inserts an element unless the set contains an equal one.
  ///
  /// - Returns: Whether it was inserted, and the element that the set now contains.
  @discardableResult
  public mutating func insert(
    _ newMember: Element
  ) -> (inserted: Bool, memberAfterInsert: Element) {
    let hash = tree.hash(of: newMember)
    if let location = tree.location(of: newMember, hash: hash) {
      return (false, location.row.pointee)
    }
    tree.insert(newMember, at: count, hash: hash)
    return (true, newMember)
  }

  /// Inserts an element, or replaces an equal one.
  ///
  /// - Returns: The element that was replaced.
  @discardableResult
  public mutating func update(with newMember: Element) -> Element? {
    guard let position = tree.location(of: newMember)?.position else {
      insert(newMember)
      return nil
    }
    let row = tree.uniqueRow(at: position)
    let previous = row.move()
    row.initialize(to: newMember)
    return previous
  }

  /// Removes an element.
  ///
  /// - Returns: The removed element.
  @discardableResult
  public mutating func remove(_ member: Element) -> Element? {
    guard let position = tree.location(of: member)?.position else { return nil }
    return tree.remove(at: position)
  }

  /// Removes all elements.
  public mutating func removeAll() {
    tree = RowTree(identity: tree.identity)
  }

  /// Removes the elements for which a closure returns true.
  public mutating func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
    tree.remove(at: try tree.positions { try shouldBeRemoved($0.pointee) })
  }

  /// The elements for which a closure returns true.
  public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> Self {
    var result = self
    try result.removeAll { try !isIncluded($0) }
    return result
  }
}

// Sound: shared nodes never change, except for digests, which are filled in atomically; see
// `RowBranch`.
extension PersistentSet: @unchecked Sendable where Element: Sendable {}
