/// The screen of a VT52 after the bytes that it received: a terminal with so few functions that its
/// emulation is simple.
struct TerminalScreen: CustomStringConvertible, Sendable {
  private(set) var rows: [[Character]]
  private var column = 0
  private var row = 0
  private var escape: [UInt8] = []
  private var isEscaped = false
  private var text: [UInt8] = []

  init(width: Int, height: Int) {
    rows = Array(repeating: Array(repeating: " ", count: width), count: height)
  }

  /// The lines, without spaces at their ends.
  var lines: [String] {
    rows.map { row in
      var line = String(row)
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  var description: String { lines.joined(separator: "\n") }

  /// Whether one of the lines contains a text.
  func shows(_ text: String) -> Bool { lines.contains { $0.contains(text) } }

  mutating func resize(width: Int, height: Int) {
    self = TerminalScreen(width: width, height: height)
  }

  mutating func take(_ bytes: ArraySlice<UInt8>) {
    for byte in bytes { take(byte) }
  }

  private mutating func take(_ byte: UInt8) {
    if isEscaped {
      escape.append(byte)
      return takeEscape()
    }
    if byte >= 0x80 {
      text.append(byte)
      if let whole = String(validating: text, as: UTF8.self), let character = whole.first {
        text = []
        put(character)
      }
      return
    }
    switch byte {
    case 0x1B:
      isEscaped = true
      escape = []
    case 0x08: column = max(0, column - 1)
    case 0x09: column = min(rows[0].count - 1, column / 8 * 8 + 8)
    case 0x0A: lineFeed()
    case 0x0D: column = 0
    case 0x20..<0x7F: put(Character(Unicode.Scalar(byte)))
    default: break
    }
  }

  private mutating func takeEscape() {
    if escape[0] == UInt8(ascii: "Y") {
      guard escape.count == 3 else { return }
      row = min(Int(escape[1]) - 32, rows.count - 1)
      column = min(Int(escape[2]) - 32, rows[0].count - 1)
      isEscaped = false
      return
    }
    isEscaped = false
    switch escape[0] {
    case UInt8(ascii: "A"): row = max(0, row - 1)
    case UInt8(ascii: "B"): row = min(rows.count - 1, row + 1)
    case UInt8(ascii: "C"): column = min(rows[0].count - 1, column + 1)
    case UInt8(ascii: "D"): column = max(0, column - 1)
    case UInt8(ascii: "H"): (row, column) = (0, 0)
    case UInt8(ascii: "J"):
      clearLine()
      for later in rows.indices.dropFirst(row + 1) {
        rows[later] = Array(repeating: " ", count: rows[later].count)
      }
    case UInt8(ascii: "K"): clearLine()
    default: break
    }
  }

  private mutating func clearLine() {
    for place in rows[row].indices.dropFirst(column) { rows[row][place] = " " }
  }

  private mutating func lineFeed() {
    guard row == rows.count - 1 else {
      row += 1
      return
    }
    rows.removeFirst()
    rows.append(Array(repeating: " ", count: rows.first?.count ?? column + 1))
  }

  private mutating func put(_ character: Character) {
    rows[row][column] = character
    column = min(rows[row].count - 1, column + 1)
  }
}
