/// The part of a row to write to a terminal that shows another grid.
package struct RowUpdate: Hashable {
  /// The columns whose cells are written.
  package let columns: [Int]
  /// The first column that is emptied before the row is written; nil to empty no column.
  ///
  /// From there on, a terminal may have drawn a character wider or narrower than its cell, or may
  /// join several cells.
  package let emptiedFrom: Int?
}

extension Grid {
  /// Returns the part of a row to write to a terminal that shows another grid of the same size.
  package func update(ofRow y: Int, from old: Grid) -> RowUpdate {
    let start = y * size.width
    let changed = (0..<size.width).filter { cells[start + $0] != old.cells[start + $0] }
    guard let last = changed.last else { return RowUpdate(columns: [], emptiedFrom: nil) }
    // Cells after a change may belong to the changed cell.
    let uncertain = (0...min(last + 2, size.width - 1)).first {
      cells[start + $0].isUncertain || old.cells[start + $0].isUncertain
    }
    guard let uncertain else { return RowUpdate(columns: changed, emptiedFrom: nil) }
    // It may be joined with the cell before it, and half a cell cannot be written.
    var first = max(0, uncertain - 1)
    while first > 0, cells[start + first].width == 0 { first -= 1 }
    let isEmpty = old.cells[(start + first)..<(start + size.width)].allSatisfy { $0 == .blank() }
    return RowUpdate(
      columns: changed.filter { $0 < first } + Array(first..<size.width),
      emptiedFrom: isEmpty ? nil : first,
    )
  }
}

extension Cell {
  /// Whether terminals differ in the cell's width, or in whether it joins the cell before it.
  fileprivate var isUncertain: Bool {
    guard text.utf8.count > 1, let first = text.unicodeScalars.first else { return false }
    let (regionalIndicators, skinTones) = (UInt32(0x1F1E6)...0x1F1FF, UInt32(0x1F3FB)...0x1F3FF)
    return text.utf8.count > UTF8.width(first) || regionalIndicators.contains(first.value)
      || skinTones.contains(first.value)
  }
}
