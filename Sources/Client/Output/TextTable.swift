import StoreState

/// Rows of text in aligned columns, for people.
struct TextTable {
  private var rows: [[String]] = []

  init(heading: [String] = []) {
    if !heading.isEmpty { rows.append(heading) }
  }

  mutating func add(_ cells: String...) { rows.append(cells.map(Printable.text)) }

  /// The lines, without spaces at their ends.
  ///
  /// - Parameters:
  ///   - indentation: The number of spaces before each line.
  ///   - width: The most columns of a line; the last cell is wrapped below itself. Nil for
  ///     no limit.
  /// - Returns: The lines.
  func lines(indentation: Int = 0, width: Int? = nil) -> [String] {
    var widths: [Int] = []
    for row in rows {
      for (column, cell) in row.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], cell.count)
      }
    }
    return rows.flatMap { row in
      var line = String(repeating: " ", count: indentation)
      for (column, cell) in row.dropLast().enumerated() {
        line += cell + String(repeating: " ", count: widths[column] - cell.count + 2)
      }
      return Self.wrapped(row.last ?? "", behind: line, width)
    }
  }

  /// Returns a cell after a prefix, wrapped at words to the width.
  private static func wrapped(_ cell: String, behind start: String, _ width: Int?) -> [String] {
    guard let width else { return [trimmed(start + cell)] }
    let indent = String(repeating: " ", count: start.count)
    var lines: [String] = []
    var (line, isEmpty) = (start, true)
    for word in cell.split(separator: " ") {
      if !isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        (line, isEmpty) = (indent, true)
      }
      line += isEmpty ? "\(word)" : " \(word)"
      isEmpty = false
    }
    return lines + [trimmed(line)]
  }

  private static func trimmed(_ line: String) -> String {
    String(line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)])
  }
}
