extension IdentifiedArray {
  /// Moves the elements at some positions to before the element that is now at `destination`.
  ///
  /// They keep their order. `destination` counts positions before the move; `count` is the end.
  public mutating func move(fromOffsets source: some Sequence<Int>, toOffset destination: Int) {
    precondition(
      (0...count).contains(destination),
      "Cannot move to offset \(destination) of \(count) elements",
    )
    let offsets = Set(source).sorted()
    for offset in offsets {
      precondition(
        indices.contains(offset),
        "Cannot move the element at \(offset) of \(count) elements",
      )
    }
    let elements = offsets.map { self[$0] }
    let start = destination - offsets.count { $0 < destination }
    tree.remove(at: offsets)
    for (place, element) in elements.enumerated() { tree.insert(element, at: start + place) }
  }

  /// Swaps the elements at two positions.
  public mutating func swapAt(_ first: Int, _ second: Int) {
    tree.swapAt(first, second)
  }

  /// Reverses the order.
  public mutating func reverse() {
    tree.arrange(in: indices.reversed())
  }

  /// Sorts by a closure; the sort is stable.
  public mutating func sort(by areInIncreasingOrder: (Element, Element) throws -> Bool) rethrows {
    let rows = tree.rowPointers()
    let order = try withExtendedLifetime(tree) {
      try indices.sorted { first, second in
        let (one, other) = (rows[first], rows[second])
        if try areInIncreasingOrder(one.pointee, other.pointee) { return true }
        return try first < second && !areInIncreasingOrder(other.pointee, one.pointee)
      }
    }
    tree.arrange(in: order)
  }

  /// Moves the elements for which a closure returns true after the others.
  ///
  /// - Returns: The position of the first such element.
  @discardableResult
  public mutating func partition(
    by belongsInSecondPartition: (Element) throws -> Bool
  ) rethrows -> Int {
    let second = try tree.positions { try belongsInSecondPartition($0.pointee) }
    let isSecond = Set(second)
    let first = indices.filter { !isSecond.contains($0) }
    tree.arrange(in: first + second)
    return first.count
  }

  /// Shuffles the elements.
  public mutating func shuffle() {
    tree.arrange(in: indices.shuffled())
  }

  /// Shuffles the elements with a generator.
  public mutating func shuffle(using generator: inout some RandomNumberGenerator) {
    tree.arrange(in: indices.shuffled(using: &generator))
  }
}

extension IdentifiedArray where Element: Comparable {
  /// Sorts in ascending order; the sort is stable.
  public mutating func sort() {
    sort(by: <)
  }
}
