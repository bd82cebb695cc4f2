/// Which row of a list is selected, by its id, and how far the list is scrolled.
///
/// Rows come, go and move while others change them. The selection stays with its row; where that
/// has gone, it goes to the one that has come to its place.
public struct RowSelection<ID: Hashable>: Equatable {
  /// The selected row; nil while there is none.
  public private(set) var id: ID?
  /// Where the row was seen last.
  public private(set) var offset = 0
  /// The first row that is to be seen.
  private(set) var top = 0

  /// Selects the first row.
  public init() {}

  /// Selects a row.
  public mutating func select(_ offset: Int, id: ID?) {
    self.offset = offset
    self.id = id
  }

  /// Finds the selected row where it is now.
  ///
  /// That takes no time where it has not moved, or not far.
  mutating func follow(count: Int, id idOf: (Int) -> ID) {
    guard count > 0 else {
      (id, offset, top) = (nil, 0, 0)
      return
    }
    if let id, offset < count, idOf(offset) == id { return }
    if let id, let found = find(id, count, idOf) {
      top += found - offset
      offset = found
      return
    }
    offset = min(offset, count - 1)
    id = idOf(offset)
  }

  private func find(_ id: ID, _ count: Int, _ idOf: (Int) -> ID) -> Int? {
    var (before, after) = (min(offset, count) - 1, min(offset, count))
    while before >= 0 || after < count {
      if after < count, idOf(after) == id { return after }
      if before >= 0, idOf(before) == id { return before }
      (before, after) = (before - 1, after + 1)
    }
    return nil
  }

  /// Scrolls as far as needed for the selected row to be seen.
  ///
  /// - Returns: The rows that are to be seen.
  mutating func window(height: Int, count: Int) -> Range<Int> {
    let height = max(0, height)
    top = min(top, offset)
    if offset >= top + height { top = offset - height + 1 }
    top = max(0, min(top, count - height))
    return top..<min(count, top + height)
  }

  /// The row to which a key leads.
  ///
  /// - Returns: Nil where the key leads nowhere.
  func destination(_ key: Key, height: Int, count: Int) -> Int? {
    let page = max(1, height - 1)
    let wanted: Int
    switch key {
    case .up, "k": wanted = offset - 1
    case .down, "j": wanted = offset + 1
    case .pageUp: wanted = offset - page
    case .pageDown: wanted = offset + page
    case .home, "g": wanted = 0
    case .end, "G": wanted = count - 1
    default: return nil
    }
    return max(0, min(wanted, count - 1))
  }
}

/// Rows of which only those are drawn that are to be seen.
///
/// What it is made of is kept until the next drawing, for keys and the mouse; what draws is not.
@MainActor
struct RowWindow<ID: Hashable> {
  private let count: Int
  private let selection: Binding<RowSelection<ID>>
  private let id: @MainActor (Int) -> ID
  private let onSubmit: @MainActor (Int) -> Bool

  // What enter does in a row says whether it is for something.
  init(
    count: Int,
    selection: Binding<RowSelection<ID>>,
    id: @escaping @MainActor (Int) -> ID,
    onSubmit: @escaping @MainActor (Int) -> Bool = { _ in false },
  ) {
    self.count = count
    self.selection = selection
    self.id = id
    self.onSubmit = onSubmit
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
    guard let destination else { return false }
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
