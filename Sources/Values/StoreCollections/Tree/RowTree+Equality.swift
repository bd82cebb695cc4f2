extension RowTree {
  /// Whether both trees have the same number of rows and a closure holds for each pair of rows at
  /// the same position.
  ///
  /// Rows in shared nodes are equal and not compared.
  @usableFromInline
  func isEquivalent(
    to other: RowTree,
    by areEquivalent: (UnsafeMutablePointer<Row>, UnsafeMutablePointer<Row>) -> Bool,
  ) -> Bool {
    guard count == other.count else { return false }
    var (one, another) = (RowCursor(self), RowCursor(other))
    while one.node != nil {
      if one.position == another.position, RowCursor.advance(&one, &another) != nil { continue }
      guard Self.leavesMatch(&one, &another, by: areEquivalent) else { return false }
    }
    return true
  }

  /// Compares leaves until both walks reach the same position again.
  private static func leavesMatch(
    _ one: inout RowCursor,
    _ other: inout RowCursor,
    by areEquivalent: (UnsafeMutablePointer<Row>, UnsafeMutablePointer<Row>) -> Bool,
  ) -> Bool {
    guard var first = one.nextLeaf(), var second = other.nextLeaf() else { return true }
    var (offset, otherOffset) = (0, 0)
    while true {
      let number = min(first.count - offset, second.count - otherOffset)
      let (rows, others) = (first.rows(of: Row.self), second.rows(of: Row.self))
      for row in 0..<number {
        guard areEquivalent(rows + offset + row, others + otherOffset + row) else {
          return false
        }
      }
      (offset, otherOffset) = (offset + number, otherOffset + number)
      let (isDone, otherIsDone) = (offset == first.count, otherOffset == second.count)
      if isDone, otherIsDone { return true }
      if isDone {
        guard let next = one.nextLeaf() else { return true }
        (first, offset) = (next, 0)
      } else {
        guard let next = other.nextLeaf() else { return true }
        (second, otherOffset) = (next, 0)
      }
    }
  }
}
