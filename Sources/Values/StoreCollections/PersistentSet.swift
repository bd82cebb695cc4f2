/// Elements without order, for state: a set whose copies share what did not change.
///
/// A copy takes constant time, and a change takes logarithmic time while the copy stays as it was.
/// `==`, digests and deltas of two versions take as long as their differences. On the wire it is
/// what a `Set` is.
///
/// Elements are gone over in the order in which they came, the same in every process. The order is
/// no part of the value: two sets with equal elements are equal.
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

  /// Makes a set of elements, of which some may be equal.
  public init(_ elements: some Sequence<Element>) {
    self.init()
    for element in elements { insert(element) }
  }

  /// How many elements there are.
  @inlinable public var count: Int { tree.count }

  /// Whether there are no elements.
  @inlinable public var isEmpty: Bool { tree.count == 0 }

  /// Whether an element is there.
  @inlinable
  public func contains(_ member: Element) -> Bool { tree.location(of: member) != nil }

  /// Inserts an element unless an equal one is there.
  ///
  /// - Returns: Whether it was inserted, and the element that is there now.
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

  /// Inserts an element, in the place of an equal one if there is one.
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
  /// - Returns: The element that was there.
  @discardableResult
  public mutating func remove(_ member: Element) -> Element? {
    guard let position = tree.location(of: member)?.position else { return nil }
    return tree.remove(at: position)
  }

  /// Removes all elements.
  public mutating func removeAll() {
    tree = RowTree(identity: tree.identity)
  }

  /// Removes the elements for which a closure says so.
  public mutating func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
    tree.remove(at: try tree.positions { try shouldBeRemoved($0.pointee) })
  }

  /// The elements for which a closure says so.
  public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> Self {
    var result = self
    try result.removeAll { try !isIncluded($0) }
    return result
  }
}

// Sound: nodes that several sets share never change, but for digests that are filled in
// atomically; see `RowBranch`.
extension PersistentSet: @unchecked Sendable where Element: Sendable {}
