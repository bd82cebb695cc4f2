extension RowTree {
  /// Whether changing so many rows one by one is better than rebuilding the tree.
  ///
  /// Changes one by one keep the rest shared with older versions.
  private func isFew(_ number: Int) -> Bool { number <= max(8, count / 8) }

  /// Removes the rows at some positions, in ascending order.
  mutating func remove(at positions: [Int]) {
    guard let last = positions.last else { return }
    checkPosition(last)
    guard !isFew(positions.count) else {
      for position in positions.reversed() { _ = remove(at: position) }
      return
    }
    let left = count - positions.count
    var builder = RowTreeBuilder(identity: identity, reserving: left)
    var (position, next) = (0, 0)
    forEachRow { row in
      if next < positions.count, positions[next] == position {
        next += 1
      } else {
        builder.append(row.pointee)
      }
      position += 1
    }
    self = builder.finish { _, _ in }
  }

  /// The positions of the rows for which a closure returns true.
  @inlinable
  func positions(
    where predicate: (UnsafeMutablePointer<Row>) throws -> Bool
  ) rethrows -> [Int] {
    var (positions, position): ([Int], Int) = ([], 0)
    try forEachRow { row in
      if try predicate(row) { positions.append(position) }
      position += 1
    }
    return positions
  }

  /// Rearranges the rows.
  ///
  /// - Parameter order: The present positions of the rows in their new order.
  mutating func arrange(in order: [Int]) {
    precondition(order.count == count, "An order of \(order.count) for \(count) elements")
    let moved = moved(in: order)
    if isFew(moved.count) {
      let elements = moved.map { location(at: order[$0]).row.pointee }
      remove(at: moved.map { order[$0] }.sorted())
      for (position, element) in zip(moved, elements) { insert(element, at: position) }
    } else {
      let rows = rowPointers()
      var builder = RowTreeBuilder(identity: identity, reserving: count)
      for position in order { builder.append(rows[position].pointee) }
      // The old rows must stay until they are copied.
      withExtendedLifetime(self) {}
      self = builder.finish { _, _ in }
    }
  }

  /// The places of an order to which rows move while as many as possible stay.
  private func moved(in order: [Int]) -> [Int] {
    var runs: [(number: Int, weight: Int)] = []
    for position in order {
      if let last = runs.last, last.number + last.weight == position {
        runs[runs.count - 1].weight += 1
      } else {
        runs.append((position, 1))
      }
    }
    guard runs.count > 1 else { return [] }
    let staying = HeaviestRun.places(in: runs)
    var (moved, next, start): ([Int], Int, Int) = ([], 0, 0)
    for (place, run) in runs.enumerated() {
      if next < staying.count, staying[next] == place {
        next += 1
      } else {
        moved.append(contentsOf: start..<(start + run.weight))
      }
      start += run.weight
    }
    return moved
  }

  /// Pointers to the rows, valid until the tree changes.
  func rowPointers() -> [UnsafeMutablePointer<Row>] {
    var rows: [UnsafeMutablePointer<Row>] = []
    rows.reserveCapacity(count)
    forEachRow { rows.append($0) }
    return rows
  }

  /// Swaps the rows at two positions.
  mutating func swapAt(_ first: Int, _ second: Int) {
    guard first != second else { return checkPosition(first) }
    let (one, other) = (uniqueRow(at: first), uniqueRow(at: second))
    let (label, otherLabel) = (label(at: first), label(at: second))
    if isIndexed, label != otherLabel {
      index.replace(hash(ofRowAt: one), label, by: otherLabel)
      index.replace(hash(ofRowAt: other), otherLabel, by: label)
    }
    swap(&one.pointee, &other.pointee)
    noteTag(ofRowAt: first)
    noteTag(ofRowAt: second)
  }

  /// Records the hash of a row that moved to a position in an unshared leaf.
  private func noteTag(ofRowAt position: Int) {
    let location = location(at: position)
    location.leaf.takeUnretainedValue().tags[location.offset] = HashIndex.tag(
      of: hash(ofRowAt: location.row)
    )
  }

  /// The label of the leaf of the row at a position.
  private func label(at position: Int) -> UInt32 {
    var (node, offset, label) = (root, position, UInt32(0))
    for _ in 0..<height {
      let branch = unsafeDowncast(node, to: RowBranch.self)
      let entry = branch.entries[branch.slot(of: &offset)]
      (node, label) = (entry.child, entry.label)
    }
    return label
  }
}
