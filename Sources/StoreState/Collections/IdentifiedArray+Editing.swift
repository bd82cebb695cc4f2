import OrderedCollections

extension IdentifiedArray {
  /// Appends an element unless one with its id is there.
  ///
  /// - Returns: Whether it was appended, and the position of the element with that id.
  @discardableResult
  public mutating func append(_ element: Element) -> (inserted: Bool, index: Int) {
    insert(element, at: count)
  }

  /// Appends the elements whose ids are not there yet.
  public mutating func append(contentsOf elements: some Sequence<Element>) {
    for element in elements { append(element) }
  }

  /// Inserts an element at a position unless one with its id is there.
  ///
  /// - Returns: Whether it was inserted, and the position of the element with that id.
  @discardableResult
  public mutating func insert(_ element: Element, at position: Int) -> (inserted: Bool, index: Int)
  {
    let key = element[keyPath: id]
    if let existing = storage.index(forKey: key) { return (false, existing) }
    storage.updateValue(element, forKey: key, insertingAt: position)
    return (true, position)
  }

  /// Replaces the element at a position by one with the same id.
  ///
  /// - Returns: The element that was there.
  @discardableResult
  public mutating func update(_ element: Element, at position: Int) -> Element {
    checkIdentity(of: element, is: storage.keys[position])
    let previous = storage.values[position]
    storage.values[position] = element
    return previous
  }

  /// Replaces the element with the same id where it stands, or appends.
  ///
  /// - Returns: The element that was replaced.
  @discardableResult
  public mutating func updateOrAppend(_ element: Element) -> Element? {
    storage.updateValue(element, forKey: element[keyPath: id])
  }

  /// Replaces the element with the same id where it stands, or inserts at a position.
  ///
  /// - Returns: The element that was replaced, and the position of the new one.
  @discardableResult
  public mutating func updateOrInsert(
    _ element: Element,
    at position: Int,
  ) -> (originalMember: Element?, index: Int) {
    let key = element[keyPath: id]
    let result = storage.updateValue(element, forKey: key, insertingAt: position)
    return (result.originalMember, result.index)
  }

  /// Removes the element with an id and returns it.
  @discardableResult
  public mutating func remove(id: ID) -> Element? {
    storage.removeValue(forKey: id)
  }

  /// Removes the element that has an element's id and returns it.
  @discardableResult
  public mutating func remove(_ element: Element) -> Element? {
    remove(id: element[keyPath: id])
  }

  /// Removes the element at a position and returns it.
  @discardableResult
  public mutating func remove(at position: Int) -> Element {
    storage.remove(at: position).value
  }

  /// Removes the elements at some positions.
  public mutating func remove(atOffsets offsets: some Sequence<Int>) {
    for offset in Set(offsets).sorted(by: >) { remove(at: offset) }
  }

  /// Removes the elements at a range of positions.
  public mutating func removeSubrange(_ bounds: Range<Int>) {
    storage.removeSubrange(bounds)
  }

  /// Removes the first element, which must be there, and returns it.
  @discardableResult
  public mutating func removeFirst() -> Element {
    storage.removeFirst().value
  }

  /// Removes the last element, which must be there, and returns it.
  @discardableResult
  public mutating func removeLast() -> Element {
    storage.removeLast().value
  }

  /// Removes the last element, if there is one, and returns it.
  public mutating func popLast() -> Element? {
    isEmpty ? nil : removeLast()
  }

  /// Removes all elements.
  public mutating func removeAll(keepingCapacity: Bool = false) {
    storage.removeAll(keepingCapacity: keepingCapacity)
  }

  /// Removes the elements for which a closure says so.
  public mutating func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
    try storage.removeAll { try shouldBeRemoved($0.value) }
  }

  /// Makes room for a number of elements.
  public mutating func reserveCapacity(_ minimumCapacity: Int) {
    storage.reserveCapacity(minimumCapacity)
  }

  /// The elements for which a closure says so, in their order.
  public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> Self {
    Self(id: id, storage: try storage.filter { try isIncluded($0.value) })
  }
}
