import Observation
import TerminalViews

/// A value of a state that is shown in full.
@MainActor
@Observable
final class LeafText {
  /// The titles along the value's path.
  let title: String
  var selection = RowSelection<Int>()
  @ObservationIgnored private let text: String
  @ObservationIgnored private var wrapped: (width: Int, lines: [String])?

  init(_ text: String, title: String) {
    self.text = text
    self.title = title
  }

  /// Returns the text, wrapped to a number of columns.
  func lines(width: Int) -> [String] {
    if let wrapped, wrapped.width == width { return wrapped.lines }
    let lines = Paragraph.lines(of: text, width: width)
    wrapped = (width, lines)
    return lines
  }
}

/// A value on as many lines as it needs, over the screen.
struct LeafView: PrimitiveView {
  let leaf: LeafText
  let onClose: @MainActor () -> Void

  /// The columns and rows that the border takes.
  private static let (frameColumns, frameRows) = (4, 2)
  private static let mostColumns = 96

  func size(in proposal: Size) -> Size {
    let width = min(Self.mostColumns, proposal.width)
    let lines = leaf.lines(width: width - Self.frameColumns)
    return Size(width: width, height: min(lines.count + Self.frameRows, proposal.height))
  }

  func draw(in canvas: Canvas) {
    let lines = leaf.lines(width: canvas.size.width - Self.frameColumns)
    let hasMore = lines.count > canvas.size.height - Self.frameRows
    let place = hasMore ? ", line \(leaf.selection.offset + 1) of \(lines.count)" : ""
    RowList(
      Array(lines.indices),
      id: \.self,
      selection: Binding {
        leaf.selection
      } set: {
        leaf.selection = $0
      },
    ) {
      Text(lines[$0])
    }
    .border("\(leaf.title)\(place), esc closes")
    .onKeys { key in
      guard [.escape, .enter, "q"].contains(key) else { return false }
      onClose()
      return true
    }
    .drawn(in: canvas)
  }
}
