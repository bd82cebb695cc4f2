extension IdentifiedArray {
  /// Appends an element unless the array has an element with its id.
  ///
  /// - Returns: Whether it was appended, and the position of the element with that id.
  @discardableResult
  public mutating func append(_ element: Element) -> (inserted: Bool, index: Int) {
    insert(element, at: count)
  }

  /// Appends the elements whose ids are new.
  public mutating func append(contentsOf elements: some Sequence<Element>) {
    for element in elements { append(element) }
  }

  /// Inserts an element at a position unless the array has an element with its id.
  ///
  /// - Returns: Whether it was inserted, and the position of the element with that id.
  @discardableResult
  public mutating func insert(_ element: Element, at position: Int) -> (inserted: Bool, index: Int)
  {
    let key = tree.identity.read(element)
    let hash = tree.hash(of: key)
    if let existing = tree.location(of: key, hash: hash) { return (false, existing.position) }
    tree.insert(element, at: position, hash: hash)
    return (true, position)
  }

  /// Replaces the element at a position by one with the same id.
  ///
  /// - Returns: The previous element.
  @discardableResult
  public mutating func update(_ element: Element, at position: Int) -> Element {
    let row = tree.uniqueRow(at: position)
    let previous = row.move()
    row.initialize(to: element)
    checkIdentity(of: row, is: tree.identity.read(previous))
    return previous
  }

  /// Replaces the element with the same id in its place, or appends.
  ///
  /// - Returns: The element that was replaced.
  @discardableResult
  public mutating func updateOrAppend(_ element: Element) -> Element? {
    updateOrInsert(element, at: count).originalMember
  }

  /// Replaces the element with the same id in its place, or inserts at a position.
  ///
  /// - Returns: The element that was replaced, and the position of the new one.
  @discardableResult
  public mutating func updateOrInsert(
    _ element: Element,
    at position: Int,
  ) -> (originalMember: Element?, index: Int) {
    let key = tree.identity.read(element)
    let hash = tree.hash(of: key)
    if let existing = tree.location(of: key, hash: hash)?.position {
      return (update(element, at: existing), existing)
    }
    tree.insert(element, at: position, hash: hash)
    return (nil, position)
  }

  /// Removes the element with an id and returns it.
  @discardableResult
  public mutating func remove(id: ID) -> Element? {
    index(id: id).map { tree.remove(at: $0) }
  }

  /// Removes the element with the id of the given element and returns it.
  @discardableResult
  public mutating func remove(_ element: Element) -> Element? {
    remove(id: tree.identity.read(element))
  }

  /// Removes the element at a position and returns it.
  @discardableResult
  public mutating func remove(at position: Int) -> Element {
    tree.remove(at: position)
  }

  /// Removes the elements at some positions.
  public mutating func remove(atOffsets offsets: some Sequence<Int>) {
    tree.remove(at: Set(offsets).sorted())
  }

  /// Removes the elements at a range of positions.
  public mutating func removeSubrange(_ bounds: Range<Int>) {
    tree.remove(at: Array(bounds))
  }

  /// Removes the elements at a range of positions.
  public mutating func removeSubrange(_ bounds: some RangeExpression<Int>) {
    removeSubrange(bounds.relative(to: self))
  }

  /// Removes the first `number` elements; the array must have that many.
  public mutating func removeFirst(_ number: Int) {
    removeSubrange(0..<number)
  }

  /// Removes the last `number` elements; the array must have that many.
  public mutating func removeLast(_ number: Int) {
    removeSubrange((count - number)..<count)
  }

  /// Removes the first element of a non-empty array and returns it.
  @discardableResult
  public mutating func removeFirst() -> Element {
    tree.remove(at: 0)
  }

  /// Removes the last element of a non-empty array and returns it.
  @discardableResult
  public mutating func removeLast() -> Element {
    tree.remove(at: count - 1)
  }

  /// Removes the last element, if there is one, and returns it.
  public mutating func popLast() -> Element? {
    isEmpty ? nil : removeLast()
  }

  /// Removes all elements; the tree has no capacity to keep.
  public mutating func removeAll(keepingCapacity: Bool = false) {
    tree = RowTree(identity: tree.identity)
  }

  /// Has no effect: a tree allocates its nodes as elements are inserted.
  public mutating func reserveCapacity(_ minimumCapacity: Int) {}
}
