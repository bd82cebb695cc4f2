/// An ordered collection of elements with unique ids.
///
/// An element keeps its id as long as it is in the array: changing the id in place is a programming
/// error and traps. An id that equals the old one in Swift but has another encoding, like a text in
/// another normalization, counts as the same id here, and the last written form is stored. On the
/// wire it is a different id.
///
/// ```swift
/// var todos: IdentifiedArrayOf<Todo> = [Todo(id: 1, title: "Milk")]
/// todos[id: 1]?.isCompleted = true
/// ```
///
/// An array is a persistent tree: a copy takes constant time, and a change takes logarithmic time
/// and does not affect copies. So old versions cost little more than their differences, and `==`,
/// digests and deltas of two versions take time proportional to their differences. Access by
/// position and by id takes logarithmic time.
public struct IdentifiedArray<ID: Hashable, Element> {
  @usableFromInline var tree: RowTree<ID, Element>

  @inlinable
  init(tree: RowTree<ID, Element>) {
    self.tree = tree
  }

  @inlinable
  init(
    read: @escaping (Element) -> ID,
    keyPath: @escaping () -> any KeyPath<Element, ID> & Sendable,
    widths: TreeWidths = .standard(for: Element.self),
  ) {
    let identity = RowIdentity<ID, Element>(
      read: read,
      keyPath: keyPath,
      find: { rows, candidates, id in
        RowIdentity<ID, Element>.first(among: candidates) { read(rows[$0]) == id.pointee }
      },
      hash: { rows, count, seed, hashes in
        RowIdentity<ID, Element>.hash(count, seed, hashes) { read(rows[$0]) }
      },
      widths: widths,
      digests: .ordered,
    )
    self.init(tree: RowTree(identity: identity))
  }

  /// Creates an array of elements whose ids a closure reads.
  ///
  /// - Parameters:
  ///   - elements: The elements.
  ///   - read: Reads an element's id.
  ///   - keyPath: Returns the id's key path, for ``id``.
  ///   - duplicate: Called with the first position of a duplicate id, and with the id.
  /// - Throws: The error of `duplicate`.
  package init<Failure: Error>(
    _ elements: some Sequence<Element>,
    read: @escaping (Element) -> ID,
    keyPath: @escaping () -> any KeyPath<Element, ID> & Sendable,
    duplicate: (Int, ID) throws(Failure) -> Void,
  ) throws(Failure) {
    self.init(read: read, keyPath: keyPath)
    var builder = RowTreeBuilder(
      identity: tree.identity,
      reserving: elements.underestimatedCount,
    )
    for element in elements { builder.append(element) }
    tree = try builder.finish(duplicate: duplicate)
  }

  /// The key path of an element's id.
  public var id: any KeyPath<Element, ID> & Sendable { tree.identity.keyPath() }

  /// Creates an empty array with the key path of its elements' ids.
  @inlinable
  public init(id: any KeyPath<Element, ID> & Sendable) {
    self.init(read: { $0[keyPath: id] }, keyPath: { id })
  }

  /// Creates an array of elements with unique ids.
  ///
  /// A duplicate id traps. For elements from outside use ``init(_:id:uniquingIDsWith:)``.
  @inlinable
  public init(
    uniqueElements elements: some Sequence<Element>,
    id: any KeyPath<Element, ID> & Sendable,
  ) {
    self.init(id: id)
    fill(with: elements)
  }

  /// Creates an array of elements with unique ids, which release builds do not check.
  @inlinable
  public init(
    uncheckedUniqueElements elements: some Sequence<Element>,
    id: any KeyPath<Element, ID> & Sendable,
  ) {
    self.init(id: id)
    fill(with: elements, isChecked: false)
  }

  /// Creates an array of elements; a closure combines two elements with the same id.
  ///
  /// The result takes the place of the first of them.
  @inlinable
  public init<Failure: Error>(
    _ elements: some Sequence<Element>,
    id: any KeyPath<Element, ID> & Sendable,
    uniquingIDsWith combine: (Element, Element) throws(Failure) -> Element,
  ) throws(Failure) {
    self.init(id: id)
    try fill(with: elements, uniquingIDsWith: combine)
  }

  /// Creates a copy of an array.
  public init(_ elements: Self) {
    self = elements
  }

  /// Creates an array of the elements in a slice.
  public init(_ elements: SubSequence) {
    self = elements.base
    removeSubrange(elements.endIndex...)
    removeSubrange(..<elements.startIndex)
  }

  /// The element with an id, or nil.
  ///
  /// Setting an element with a new id appends it; setting `nil` removes the element.
  @inlinable
  public subscript(id id: ID) -> Element? {
    get { tree.location(of: id).map { $0.row.pointee } }
    _modify {
      if let position = tree.location(of: id)?.position {
        let row = tree.uniqueRow(at: position)
        var element: Element? = row.move()
        defer { putBack(element, into: row, at: position, id) }
        yield &element
      } else {
        var element: Element?
        defer { if let element { append(element, withID: id) } }
        yield &element
      }
    }
  }

  /// The element with an id, or a default, which a change appends.
  @inlinable
  public subscript(id id: ID, default defaultValue: @autoclosure () -> Element) -> Element {
    get { self[id: id] ?? defaultValue() }
    _modify {
      if let position = tree.location(of: id)?.position {
        let row = tree.uniqueRow(at: position)
        defer { checkIdentity(of: row, is: id) }
        yield &row.pointee
      } else {
        var element = defaultValue()
        defer { append(element, withID: id) }
        yield &element
      }
    }
  }

  /// The position of the element with an id.
  @inlinable
  public func index(id: ID) -> Int? {
    tree.location(of: id)?.position
  }

  /// Whether an element with an id is in the array.
  @inlinable
  public func contains(id: ID) -> Bool {
    tree.location(of: id) != nil
  }
}

/// An identified array of elements that are `Identifiable`.
public typealias IdentifiedArrayOf<Element: Identifiable> = IdentifiedArray<Element.ID, Element>

extension IdentifiedArray where Element: Identifiable, ID == Element.ID {
  /// Makes an empty array.
  @inlinable
  public init() {
    self.init(widths: .standard(for: Element.self))
  }

  /// Creates an empty array with the given node widths.
  @inlinable
  init(widths: TreeWidths) {
    let identity = RowIdentity<ID, Element>(
      read: { $0.id },
      keyPath: { \Element.id },
      find: { rows, candidates, id in
        RowIdentity<ID, Element>.first(among: candidates) { rows[$0].id == id.pointee }
      },
      hash: { rows, count, seed, hashes in
        RowIdentity<ID, Element>.hash(count, seed, hashes) { rows[$0].id }
      },
      widths: widths,
      digests: .ordered,
    )
    self.init(tree: RowTree(identity: identity))
  }

  /// Creates an array of elements with unique ids; a duplicate id traps.
  @inlinable
  public init(uniqueElements elements: some Sequence<Element>) {
    self.init()
    fill(with: elements)
  }

  /// Creates an array of elements with unique ids, which release builds do not check.
  @inlinable
  public init(uncheckedUniqueElements elements: some Sequence<Element>) {
    self.init()
    fill(with: elements, isChecked: false)
  }

  /// Creates an array of elements; a closure combines two elements with the same id.
  @inlinable
  public init<Failure: Error>(
    _ elements: some Sequence<Element>,
    uniquingIDsWith combine: (Element, Element) throws(Failure) -> Element,
  ) throws(Failure) {
    self.init()
    try fill(with: elements, uniquingIDsWith: combine)
  }
}

extension IdentifiedArray {
  /// Fills an empty array.
  @inlinable
  mutating func fill(with elements: some Sequence<Element>, isChecked: Bool = true) {
    var builder = RowTreeBuilder(
      identity: tree.identity,
      reserving: elements.underestimatedCount,
    )
    for element in elements { builder.append(element) }
    tree = builder.finish { position, key in
      if isChecked {
        preconditionFailure("Element \(position) has an id that occurred before: \(key)")
      } else {
        assertionFailure("Element \(position) has an id that occurred before: \(key)")
      }
    }
  }

  @inlinable
  mutating func fill<Failure: Error>(
    with elements: some Sequence<Element>,
    uniquingIDsWith combine: (Element, Element) throws(Failure) -> Element,
  ) throws(Failure) {
    var kept: [Element] = []
    var places: [ID: Int] = [:]
    for element in elements {
      let key = tree.identity.read(element)
      if let place = places[key] {
        kept[place] = try combine(kept[place], element)
        withUnsafePointer(to: kept[place]) { checkIdentity(of: $0, is: key) }
      } else {
        places[key] = kept.count
        kept.append(element)
      }
    }
    fill(with: kept)
  }

  @inlinable
  func checkIdentity(of row: UnsafePointer<Element>, is key: ID) {
    if !tree.hasID(key, row) { failIdentity(of: row.pointee, is: key) }
  }

  @usableFromInline
  func failIdentity(of element: Element, is key: ID) -> Never {
    let found = tree.identity.read(element)
    preconditionFailure(
      "An element's id changed from \(key) to \(found); remove it, insert a new one"
    )
  }

  @usableFromInline
  mutating func append(_ element: Element, withID id: ID) {
    withUnsafePointer(to: element) { checkIdentity(of: $0, is: id) }
    tree.insert(element, at: count, hash: tree.hash(of: id))
  }

  /// Returns an element that was moved out of its leaf to its place, or closes the gap.
  @inlinable
  mutating func putBack(
    _ element: consuming Element?,
    into row: UnsafeMutablePointer<Element>,
    at position: Int,
    _ id: ID,
  ) {
    if let element {
      row.initialize(to: element)
      checkIdentity(of: row, is: id)
    } else {
      tree.closeHole(at: position, hash: tree.isIndexed ? tree.hash(of: id) : 0)
    }
  }
}

// Sound: shared nodes never change, except for digests, which are filled in atomically; see
// `RowBranch`.
extension IdentifiedArray: @unchecked Sendable where ID: Sendable, Element: Sendable {}
