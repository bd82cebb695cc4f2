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
  ///   - title: What stands above it.
  ///   - isNumber: Whether it ends at the right.
  ///   - style: How an element's text looks.
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

/// Rows of any number in columns, of which only those are made that are to be seen.
///
/// A column is as wide as what is to be seen of it; what has no room at the right is cut off.
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
  ///   - id: What an element is known by.
  ///   - selection: The row that is selected.
  ///   - onSubmit: What enter does with the selected element; nil where it is not for the table.
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

  /// Both.
  public var flexibility: Axes { [.horizontal, .vertical] }

  /// A row for each element, and one for the titles.
  public func size(in proposal: Size) -> Size {
    Size(width: min(80, proposal.width), height: min(data.count + 1, proposal.height))
  }

  /// Draws the titles and the rows that are to be seen.
  public func draw(in canvas: Canvas) {
    guard canvas.size.height > 0 else { return }
    var current = selection.wrappedValue
    current.follow(count: data.count) { data.at($0)[keyPath: id] }
    let visible = current.window(height: canvas.size.height - 1, count: data.count)
    let widths = columns.map { column in
      visible.reduce(Glyph.columns(of: column.title)) { widest, offset in
        max(widest, Glyph.columns(of: column.text(data.at(offset))))
      }
    }
    write(columns.map(\.title), widths, in: canvas) { _ in Style(.secondary, isBold: true) }
    let rows = RowWindow<ID>(count: data.count, selection: selection) { offset in
      data.at(offset)[keyPath: id]
    } onSubmit: { offset in
      onSubmit?(data.at(offset))
      return onSubmit != nil
    }
    rows.draw(in: canvas.part(y: 1)) { row, offset in
      let element = data.at(offset)
      write(columns.map { $0.text(element) }, widths, in: row) { columns[$0].style(element) }
    }
  }

  private func write(
    _ texts: [String],
    _ widths: [Int],
    in canvas: Canvas,
    style: (Int) -> Style,
  ) {
    var x = 0
    for (place, text) in texts.enumerated() {
      let indent = columns[place].isNumber ? widths[place] - Glyph.columns(of: text) : 0
      canvas.writeTruncated(text, x: x + max(0, indent), style(place))
      x += widths[place] + 2
    }
  }
}
