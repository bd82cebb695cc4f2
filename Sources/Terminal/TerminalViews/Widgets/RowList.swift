/// A list of any length, which creates only its visible rows.
///
/// Arrows, `j`, `k`, page keys, home, end and the mouse move the selection.
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
  ///   - id: The id of an element.
  ///   - selection: The selected row.
  ///   - onSubmit: The action of enter for the selected element; nil if the list does not
  ///     handle enter.
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

  /// Both directions.
  public var flexibility: Axes { [.horizontal, .vertical] }

  /// Returns a row for each element.
  public func size(in proposal: Size) -> Size {
    Size(width: min(80, proposal.width), height: min(data.count, proposal.height))
  }

  /// Draws the visible rows.
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
  /// Returns the element at an offset from the first one.
  func at(_ offset: Int) -> Element { self[index(startIndex, offsetBy: offset)] }
}
