import TerminalViews

/// A picture of a terminal's screen, for a page.
struct ScreenPicture {
  let grid: Grid

  private static let (cellWidth, cellHeight, margin) = (9, 19, 12)

  /// The picture as SVG.
  ///
  /// Each run of cells states its width, so the layout does not depend on the reader's font.
  var svg: String {
    let (width, height) = (grid.size.width * Self.cellWidth, grid.size.height * Self.cellHeight)
    let (all, tall) = (width + 2 * Self.margin, height + 2 * Self.margin)
    var lines = [
      #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(all) \#(tall)" width="\#(all)">"#,
      ##"<rect width="\##(all)" height="\##(tall)" rx="8" fill="#16181d"/>"##,
      #"<g font-family="ui-monospace,Menlo,Consolas,DejaVu Sans Mono,monospace" font-size="15">"#,
    ]
    for y in 0..<grid.size.height { lines += row(y) }
    return (lines + ["</g>", "</svg>"]).joined(separator: "\n") + "\n"
  }

  private func row(_ y: Int) -> [String] {
    var (lines, x): ([String], Int) = ([], 0)
    while x < grid.size.width {
      let (start, style) = (x, grid[x, y].style)
      var text = ""
      while x < grid.size.width, grid[x, y].style == style {
        text += grid[x, y].text
        x += 1
      }
      lines += run(text, at: start, y, columns: x - start, style)
    }
    return lines
  }

  private func run(
    _ text: String,
    at x: Int,
    _ y: Int,
    columns: Int,
    _ style: Style,
  ) -> [String] {
    let (left, top) = (Self.margin + x * Self.cellWidth, Self.margin + y * Self.cellHeight)
    let width = columns * Self.cellWidth
    var lines: [String] = []
    if style.isReversed {
      lines.append(
        #"<rect x="\#(left)" y="\#(top)" width="\#(width)" height="\#(Self.cellHeight)" "#
          + #"fill="\#(color(style))"/>"#
      )
    }
    guard text.contains(where: { $0 != " " }) else { return lines }
    let weight = style.isBold ? #" font-weight="bold""# : ""
    lines.append(
      #"<text x="\#(left)" y="\#(top + 14)" textLength="\#(width)" xml:space="preserve" "#
        + #"lengthAdjust="spacingAndGlyphs" fill="\#(color(style, isText: true))"\#(weight)>"#
        + "\(escaped(text))</text>"
    )
    return lines
  }

  private func color(_ style: Style, isText: Bool = false) -> String {
    if isText, style.isReversed { return "#16181d" }
    return switch style.foreground {
    case .primary: "#d7dae0"
    case .secondary: "#8b919c"
    case .red: "#f07178"
    case .green: "#98c379"
    case .yellow: "#e5c07b"
    case .blue: "#61afef"
    case .magenta: "#c678dd"
    case .cyan: "#56b6c2"
    }
  }

  private func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      default: result.append(character)
      }
    }
  }
}
