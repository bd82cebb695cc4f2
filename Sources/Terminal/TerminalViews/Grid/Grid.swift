/// One place of a grid.
public struct Cell: Hashable, Sendable {
  /// The cell's text; empty in the second column of a text that is two columns wide.
  public var text: String
  /// The columns that the text takes: 1 or 2, and 0 in the second column of a wide text.
  public var width: Int
  /// The style of the text.
  public var style: Style

  static func blank(_ style: Style = .plain) -> Cell { Cell(text: " ", width: 1, style: style) }
}

/// A terminal's cells, in rows and columns.
public struct Grid: Hashable, Sendable {
  /// The columns and rows.
  public private(set) var size: Size
  /// The cells, row by row.
  public private(set) var cells: [Cell]

  /// Creates an empty grid.
  public init(size: Size) {
    self.size = size
    cells = Array(repeating: .blank(), count: size.width * size.height)
  }

  /// Returns the cell of a column and a row, both from 0.
  public subscript(x: Int, y: Int) -> Cell {
    precondition(x >= 0 && x < size.width && y >= 0 && y < size.height, "(\(x), \(y)) in \(size)")
    return cells[y * size.width + x]
  }

  /// The rows as text, without trailing spaces.
  public var lines: [String] {
    (0..<size.height).map { row in
      var line = ""
      for cell in cells[(row * size.width)..<((row + 1) * size.width)] { line += cell.text }
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  /// Adds empty rows or columns.
  mutating func grow(to larger: Size) {
    var grid = Grid(size: larger)
    for row in 0..<min(size.height, larger.height) {
      for column in 0..<min(size.width, larger.width) {
        grid.cells[row * larger.width + column] = self[column, row]
      }
    }
    self = grid
  }

  /// Puts a glyph into a cell.
  ///
  /// Cells outside of a clip are ignored.
  mutating func put(_ glyph: Glyph, x: Int, y: Int, _ style: Style, in clip: Rect) {
    guard clip.contains(Point(x: x, y: y)) else { return }
    let place = y * size.width + x
    guard glyph.width == 1 || x + 1 < clip.origin.x + clip.size.width else {
      // Half of the glyph would be outside of the clip.
      free(place)
      cells[place] = .blank(style)
      return
    }
    free(place)
    cells[place] = Cell(text: glyph.text, width: glyph.width, style: style)
    if glyph.width == 2 {
      free(place + 1)
      cells[place + 1] = Cell(text: "", width: 0, style: style)
    }
  }

  /// Blanks the other half of a wide text if one half is overwritten.
  private mutating func free(_ place: Int) {
    switch cells[place].width {
    case 0: cells[place - 1] = .blank(cells[place - 1].style)
    case 2: cells[place + 1] = .blank(cells[place + 1].style)
    default: break
    }
  }
}
