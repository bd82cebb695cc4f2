import OrderedCollections

extension IdentifiedArray {
  /// Moves the elements at some positions to before the element that stands at a position now.
  ///
  /// They keep their order. `destination` counts positions before the move; `count` is the end.
  public mutating func move(fromOffsets source: some Sequence<Int>, toOffset destination: Int) {
    precondition(
      (0...count).contains(destination),
      "Cannot move to offset \(destination) of \(count) elements",
    )
    let offsets = Set(source)
    for offset in offsets {
      precondition(
        indices.contains(offset),
        "Cannot move the element at \(offset) of \(count) elements",
      )
    }
    let order =
      (0..<destination).filter { !offsets.contains($0) } + offsets.sorted()
      + (destination..<count).filter { !offsets.contains($0) }
    arrange(in: order)
  }

  /// Exchanges the elements at two positions.
  public mutating func swapAt(_ first: Int, _ second: Int) {
    storage.swapAt(first, second)
  }

  /// Reverses the order.
  public mutating func reverse() {
    storage.reverse()
  }

  /// Sorts by a closure; elements of which none goes before the other keep their order.
  public mutating func sort(by areInIncreasingOrder: (Element, Element) throws -> Bool) rethrows {
    arrange(
      in: try indices.sorted { first, second in
        let elements = (storage.values[first], storage.values[second])
        if try areInIncreasingOrder(elements.0, elements.1) { return true }
        return try first < second && !areInIncreasingOrder(elements.1, elements.0)
      }
    )
  }

  /// Puts the elements for which a closure says so after the others.
  ///
  /// - Returns: The position of the first one for which it said so.
  @discardableResult
  public mutating func partition(
    by belongsInSecondPartition: (Element) throws -> Bool
  ) rethrows -> Int {
    try storage.partition { try belongsInSecondPartition($0.value) }
  }

  /// Puts the elements in a random order.
  public mutating func shuffle() {
    storage.shuffle()
  }

  /// Puts the elements in an order that a generator decides.
  public mutating func shuffle(using generator: inout some RandomNumberGenerator) {
    storage.shuffle(using: &generator)
  }

  private mutating func arrange(in order: [Int]) {
    let pairs = order.map { (storage.keys[$0], storage.values[$0]) }
    storage = .init(uncheckedUniqueKeysWithValues: pairs)
  }
}

extension IdentifiedArray where Element: Comparable {
  /// Sorts in ascending order; equal elements keep their order.
  public mutating func sort() {
    sort(by: <)
  }
}
