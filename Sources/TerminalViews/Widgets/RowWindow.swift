/// Rows of which only those are drawn that are to be seen.
///
/// What it is made of is kept until the next drawing, for keys and the mouse; what draws is not.
@MainActor
struct RowWindow<ID: Hashable> {
  private let count: Int
  private let selection: Binding<RowSelection<ID>>
  private let id: @MainActor (Int) -> ID
  private let onSubmit: @MainActor (Int) -> Bool
  private let onKey: @MainActor (Key) -> Bool

  // What enter does in a row says whether it is for something.
  init(
    count: Int,
    selection: Binding<RowSelection<ID>>,
    id: @escaping @MainActor (Int) -> ID,
    onSubmit: @escaping @MainActor (Int) -> Bool = { _ in false },
    onKey: @escaping @MainActor (Key) -> Bool = { _ in false },
  ) {
    self.count = count
    self.selection = selection
    self.id = id
    self.onSubmit = onSubmit
    self.onKey = onKey
  }

  func draw(
    in canvas: Canvas,
    id: ((Int) -> ID)? = nil,
    row drawRow: (_ canvas: Canvas, _ offset: Int) -> Void,
  ) {
    let height = canvas.size.height
    var current = selection.wrappedValue
    current.follow(count: count, id: id ?? self.id)
    let visible = current.window(height: height, count: count)
    if current != selection.wrappedValue { selection.wrappedValue = current }
    let isFocused = canvas.takeFocus { key in
      take(key, height)
    } onMouse: { event in
      take(event, visible)
    }
    for offset in visible {
      let row = canvas.part(y: offset - visible.lowerBound, height: 1)
      let isSelected = offset == current.offset
      let style = Style(isBold: isSelected, isReversed: isSelected && isFocused)
      if isSelected { row.fill(style) }
      drawRow(row.styled(isSelected ? style : .plain), offset)
    }
  }

  private func take(_ key: Key, _ height: Int) -> Bool {
    guard count > 0 else { return false }
    if key == .enter, onSubmit(selection.wrappedValue.offset) { return true }
    let destination = selection.wrappedValue.destination(key, height: height, count: count)
    guard let destination else { return onKey(key) }
    go(to: destination)
    return true
  }

  private func take(_ event: MouseEvent, _ visible: Range<Int>) -> Bool {
    guard count > 0 else { return false }
    switch event.kind {
    case .press:
      let offset = visible.lowerBound + event.place.y
      if visible.contains(offset) { go(to: offset) }
    case .wheelUp: go(to: max(0, selection.wrappedValue.offset - 3))
    case .wheelDown: go(to: min(count - 1, selection.wrappedValue.offset + 3))
    }
    return true
  }

  private func go(to offset: Int) {
    selection.wrappedValue.select(offset, id: id(offset))
  }
}
