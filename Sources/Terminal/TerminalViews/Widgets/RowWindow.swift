/// Rows of a list, of which only the visible ones are drawn.
///
/// The stored closures last until the next drawing, for keys and the mouse; the closure that draws
/// does not.
///
/// Keys and the mouse act on rows that the user has seen (``InputAim``). They move among these rows
/// at their current places, and have no effect on rows inserted since.
@MainActor
struct RowWindow<ID: Hashable> {
  private let count: Int
  private let selection: Binding<RowSelection<ID>>
  private let id: @MainActor (Int) -> ID
  private let onSubmit: @MainActor (Int) -> Bool
  private let onKey: @MainActor (Key) -> Bool

  // The action for enter returns whether it handled the key.
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
    let (height, frame) = (canvas.size.height, canvas.frame)
    let path = frame.path(of: .rows)
    let drawnID = id ?? self.id
    let (aim, isSettled) = (frame.memory?.aim, frame.memory?.isSettled ?? false)
    let accepts = frame.memory?.acceptsReplacements ?? true
    let old = selection.wrappedValue
    var current = old
    if frame.memory?.isOrdered(path) ?? false {
      current.replace(count: count, id: drawnID)
    } else {
      if accepts, let aim { replaceRemoved(in: &current, path, aim, drawnID) }
      let isSeen = hasSeenFirst(of: current, path, aim, drawnID)
      current.follow(count: count, accepts: accepts || isSeen, id: drawnID)
    }
    let visible = current.window(height: height, count: count)
    if current != old, !isSettled {
      selection.wrappedValue = current
      let new = selection.wrappedValue
      // Views that were drawn earlier have shown the old row.
      if new.id != old.id || new.offset != old.offset { frame.isOutdated = true }
    }
    let ids = visible.map(drawnID)
    frame.rows[path] = ShownRows(
      first: visible.lowerBound,
      count: count,
      ids: ids,
      selected: current.id,
      cursor: current.offset,
    )
    if let aim, current.isMissing, !isSettled {
      frame.afterDisplay.append { accept(path, $0, aim) }
    }
    let isFocused = canvas.takeFocus { key in
      take(key, height, path, aim)
    } onMouse: { event in
      take(event, visible, path, aim)
    }
    for offset in visible {
      let row = canvas.part(y: offset - visible.lowerBound, height: 1)
      let isSelected = offset == current.offset
      let style = Style(isBold: isSelected, isReversed: isSelected && isFocused)
      if isSelected { row.fill(style) }
      ViewMemory.within(.id(ids[offset - visible.lowerBound], at: offset)) {
        drawRow(row.styled(isSelected ? style : .plain), offset)
      }
    }
  }

  /// Returns whether a new selection would select the row that the user has seen selected.
  ///
  /// A selection after the display would cause another drawing, endlessly if each drawing has a
  /// new selection.
  private func hasSeenFirst(
    of new: RowSelection<ID>,
    _ path: ViewPath,
    _ aim: InputAim?,
    _ id: (Int) -> ID,
  ) -> Bool {
    guard new.id == nil, count > 0, let known: ShownRows<ID> = aim?.rows(at: path) else {
      return false
    }
    return known.selected == id(min(new.offset, count - 1))
  }

  /// Selects the row after one that the user has removed: the next displayed one, even if others
  /// have inserted or removed rows there since.
  private func replaceRemoved(
    in current: inout RowSelection<ID>,
    _ path: ViewPath,
    _ aim: InputAim,
    _ id: (Int) -> ID,
  ) {
    guard let known: ShownRows<ID> = aim.rows(at: path), let gone = current.id,
      gone == known.selected, !current.isMissing, current.place(of: gone, count, id) == nil
    else { return }
    for next in known.successors(of: gone) {
      if let place = current.place(of: next, count, id) { return current.select(place, id: next) }
      // The row was there before the input, and was removed together with the other one.
      if !aim.hadRow(next, at: path) { return current.miss(next, near: current.offset) }
    }
    // All displayed rows are removed, and others have inserted this one.
    if known.isWhole, count > 0, aim.hadRow(id(min(current.offset, count - 1)), at: path) {
      current.miss(nil, near: current.offset)
    }
  }

  /// Selects the displayed replacement of a removed row, if the user knows of the removal.
  private func accept(_ path: ViewPath, _ frame: Frame, _ aim: InputAim) {
    var current = selection.wrappedValue
    guard current.isMissing,
      current.id == nil || current.isReleased || aim.allowsReplacement(at: path)
    else { return }
    current.replace(count: count, id: id)
    selection.wrappedValue = current
    if var shown = frame.rows[path] as? ShownRows<ID> {
      shown.selected = current.id
      frame.rows[path] = shown
    }
  }

  // MARK: - Input

  private func take(_ key: Key, _ height: Int, _ path: ViewPath, _ aim: InputAim?) -> Bool {
    // Input after a key without effect was meant for another row.
    if selection.wrappedValue.isReleased { return true }
    let known: ShownRows<ID>? = aim?.rows(at: path)
    if key == .enter {
      guard let row = known?.selected ?? selection.wrappedValue.id else { return false }
      guard let offset = offset(of: row) else { return aim?.miss() ?? false }
      return onSubmit(offset) || onKey(key)
    }
    if let known {
      let destination = RowSelection<ID>.destination(
        key,
        from: known.place,
        height: height,
        count: known.count,
      )
      if let destination, let id = known.id(at: destination) {
        go(to: id, path, aim)
        return true
      }
      // All rows were displayed and are removed; the present rows were not displayed.
      if destination != nil, known.isWhole { return true }
    }
    guard count > 0 else { return onKey(key) }
    let destination = selection.wrappedValue.destination(key, height: height, count: count)
    guard let destination else { return onKey(key) }
    go(to: id(destination), path, aim)
    return true
  }

  private func take(
    _ event: MouseEvent,
    _ visible: Range<Int>,
    _ path: ViewPath,
    _ aim: InputAim?,
  ) -> Bool {
    switch event.kind {
    case .press:
      let offset = visible.lowerBound + event.place.y
      let isShown = aim == nil && visible.contains(offset)
      if let seen = aim?.row(atLine: event.place.y, of: path) ?? (isShown ? id(offset) : nil) {
        go(to: seen, path, aim)
      }
    case .wheelUp: scroll(-3, path, aim)
    case .wheelDown: scroll(3, path, aim)
    }
    return true
  }

  private func scroll(_ distance: Int, _ path: ViewPath, _ aim: InputAim?) {
    guard count > 0 else { return }
    let offset = max(0, min(count - 1, selection.wrappedValue.offset + distance))
    go(to: id(offset), path, aim)
  }

  /// Moves the cursor to a row; if the row was removed, marks it as missing.
  private func go(to row: ID, _ path: ViewPath, _ aim: InputAim?) {
    if let offset = offset(of: row) {
      selection.wrappedValue.select(offset, id: row)
    } else {
      selection.wrappedValue.miss(row, near: selection.wrappedValue.offset)
    }
    aim?.reach(row, at: path)
  }

  private func offset(of row: ID) -> Int? { selection.wrappedValue.place(of: row, count, id) }
}
