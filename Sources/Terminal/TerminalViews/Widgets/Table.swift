/// A column of a ``Table``.
@MainActor
public struct TableColumn<Element> {
  let title: String
  let isNumber: Bool
  let text: @MainActor (Element) -> String
  let style: @MainActor (Element) -> Style

  /// Creates a column.
  ///
  /// - Parameters:
  ///   - title: The title above the column.
  ///   - isNumber: Whether the texts are numbers, which are aligned at the right and never cut off.
  ///   - style: The style of an element's text.
  ///   - text: An element's text.
  public init(
    _ title: String,
    isNumber: Bool = false,
    style: @escaping @MainActor (Element) -> Style = { _ in .plain },
    text: @escaping @MainActor (Element) -> String,
  ) {
    self.title = title
    self.isNumber = isNumber
    self.text = text
    self.style = style
  }
}

/// Any number of rows in columns.
///
/// Only visible rows are created.
///
/// A column is as wide as its widest visible text. If the columns have no room, the widest texts
/// are cut off first, then columns at the right; numbers stay whole. Then the left and right
/// arrows, `h` and `l` scroll to other columns. The first column stays.
public struct Table<Data: RandomAccessCollection, ID: Hashable>: PrimitiveView {
  private let data: Data
  private let id: KeyPath<Data.Element, ID>
  private let selection: Binding<RowSelection<ID>>
  private let onSubmit: (@MainActor (Data.Element) -> Void)?
  private let columns: [TableColumn<Data.Element>]

  /// Creates a table.
  ///
  /// - Parameters:
  ///   - data: The elements.
  ///   - id: The id of an element.
  ///   - selection: The selected row.
  ///   - onSubmit: The action of enter for the selected element; nil if the table does not
  ///     handle enter.
  ///   - columns: The columns, from the left.
  public init(
    _ data: Data,
    id: KeyPath<Data.Element, ID>,
    selection: Binding<RowSelection<ID>>,
    onSubmit: (@MainActor (Data.Element) -> Void)? = nil,
    columns: [TableColumn<Data.Element>],
  ) {
    self.data = data
    self.id = id
    self.selection = selection
    self.onSubmit = onSubmit
    self.columns = columns
  }

  /// Both directions.
  public var flexibility: Axes { [.horizontal, .vertical] }

  /// Returns a row for each element, and one for the titles.
  public func size(in proposal: Size) -> Size {
    Size(width: min(80, proposal.width), height: min(data.count + 1, proposal.height))
  }

  /// Draws the titles and the visible rows.
  public func draw(in canvas: Canvas) {
    var current = selection.wrappedValue
    current.follow(
      count: data.count,
      accepts: canvas.frame.memory?.acceptsReplacements ?? true,
    ) {
      data.at($0)[keyPath: id]
    }
    let visible = current.window(height: canvas.size.height - 1, count: data.count)
    let widths = columns.map { column in
      visible.reduce(Glyph.columns(of: column.title)) { widest, offset in
        max(widest, Glyph.columns(of: column.text(data.at(offset))))
      }
    }
    let most = mostShift(widths, canvas.size.width)
    let shift = min(current.shift, most)
    let places = places(behind: shift)
    let shown = fitting(widths, places, canvas.size.width)
    write(columns.map(\.title), places, shown, in: canvas) { _ in
      Style(.secondary, isBold: true)
    }
    if shift > 0 { canvas.write("‹", x: shown[0] + Self.gap - 1, Style(.secondary)) }
    let rows = RowWindow<ID>(count: data.count, selection: selection) { offset in
      data.at(offset)[keyPath: id]
    } onSubmit: { offset in
      onSubmit?(data.at(offset))
      return onSubmit != nil
    } onKey: { key in
      guard most > 0 else { return false }
      switch key {
      case .left, "h": selection.wrappedValue.shift = max(0, shift - 1)
      case .right, "l": selection.wrappedValue.shift = min(most, shift + 1)
      default: return false
      }
      return true
    }
    rows.draw(in: canvas.part(y: 1)) { row, offset in
      let element = data.at(offset)
      write(columns.map { $0.text(element) }, places, shown, in: row) {
        columns[$0].style(element)
      }
    }
  }

  /// Returns the columns that remain after a number are scrolled out; the first one stays.
  private func places(behind shift: Int) -> [Int] {
    columns.indices.filter { $0 == 0 || $0 > shift }
  }

  /// Returns the greatest shift: the first that shows the last columns in full, otherwise the one
  /// that shows only the last column.
  private func mostShift(_ widths: [Int], _ width: Int) -> Int {
    let last = max(0, columns.count - 2)
    return (0...last).first { shift in
      places(behind: shift).reduce(-Self.gap) { $0 + widths[$1] + Self.gap } <= width
    } ?? last
  }

  /// Returns widths with which the columns have room, as far as their titles allow.
  private func fitting(_ widths: [Int], _ places: [Int], _ width: Int) -> [Int] {
    var widths = widths.map { min($0, max(0, width)) }
    var excess = places.reduce(-Self.gap - width) { $0 + widths[$1] + Self.gap }
    let texts = places.filter { !columns[$0].isNumber }
    while excess > 0 {
      let widest = texts.filter { widths[$0] > Glyph.columns(of: columns[$0].title) }
        .max { (widths[$0], -$0) < (widths[$1], -$1) }
      guard let widest else { break }
      widths[widest] -= 1
      excess -= 1
    }
    return widths
  }

  private static var gap: Int { 2 }

  private func write(
    _ texts: [String],
    _ places: [Int],
    _ widths: [Int],
    in canvas: Canvas,
    style: (Int) -> Style,
  ) {
    var x = 0
    for place in places {
      let (text, width) = (texts[place], widths[place])
      let indent = columns[place].isNumber ? max(0, width - Glyph.columns(of: text)) : 0
      canvas.writeTruncated(text, x: x + indent, width: width - indent, style(place))
      x += width + Self.gap
    }
  }
}
