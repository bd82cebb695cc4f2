import StoreState

/// Rows of text in aligned columns, for people.
struct TextTable {
  private var rows: [[String]] = []

  init(heading: [String] = []) {
    if !heading.isEmpty { rows.append(heading) }
  }

  mutating func add(_ cells: String...) { rows.append(cells.map(Printable.text)) }

  /// The lines, without spaces at their ends.
  func lines(indentation: Int = 0) -> [String] {
    var widths: [Int] = []
    for row in rows {
      for (column, cell) in row.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], cell.count)
      }
    }
    let indent = String(repeating: " ", count: indentation)
    return rows.map { row in
      var line = indent
      for (column, cell) in row.enumerated() {
        line += cell
        guard column < row.count - 1 else { break }
        line += String(repeating: " ", count: widths[column] - cell.count + 2)
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
