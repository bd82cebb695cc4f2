/// A list of any length, of which only the rows are made that are to be seen.
///
/// Arrows, `j`, `k`, page keys, home and end move the selection, and so does the mouse.
public struct RowList<Data: RandomAccessCollection, ID: Hashable, Row: View>: PrimitiveView {
  private let data: Data
  private let id: KeyPath<Data.Element, ID>
  private let selection: Binding<RowSelection<ID>>
  private let onSubmit: (@MainActor (Data.Element) -> Void)?
  private let row: @MainActor (Data.Element) -> Row

  /// Creates a list.
  ///
  /// - Parameters:
  ///   - data: The elements.
  ///   - id: What an element is known by.
  ///   - selection: The row that is selected.
  ///   - onSubmit: What enter does with the selected element; nil where it is not for the list.
  ///   - row: The view of an element, one row high.
  public init(
    _ data: Data,
    id: KeyPath<Data.Element, ID>,
    selection: Binding<RowSelection<ID>>,
    onSubmit: (@MainActor (Data.Element) -> Void)? = nil,
    @ViewBuilder row: @escaping @MainActor (Data.Element) -> Row,
  ) {
    self.data = data
    self.id = id
    self.selection = selection
    self.onSubmit = onSubmit
    self.row = row
  }

  /// Both.
  public var flexibility: Axes { [.horizontal, .vertical] }

  /// A row for each element.
  public func size(in proposal: Size) -> Size {
    Size(width: min(80, proposal.width), height: min(data.count, proposal.height))
  }

  /// Draws the rows that are to be seen.
  public func draw(in canvas: Canvas) {
    let rows = RowWindow<ID>(count: data.count, selection: selection) { offset in
      data.at(offset)[keyPath: id]
    } onSubmit: { offset in
      onSubmit?(data.at(offset))
      return onSubmit != nil
    }
    rows.draw(in: canvas) { row(data.at($1)).drawn(in: $0) }
  }
}

extension RandomAccessCollection {
  /// The element so far from the first one.
  func at(_ offset: Int) -> Element { self[index(startIndex, offsetBy: offset)] }
}
