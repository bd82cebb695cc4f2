/// What a user's input is meant for: what a displayed picture has shown, or what the user's own
/// input has led to since.
///
/// Others change what is shown at any time. Between a change and the picture that shows it, a key
/// must not act on a view or a row that the user has not seen. So input looks for what it is meant
/// for among the views as they are now, and where that has gone, the input has no effect.
///
/// Where what the user has aimed at has gone without any key of the user's for it, the next key
/// that would press or edit something has no effect either, although its picture is displayed: it
/// was probably on its way.
@MainActor
final class InputAim {
  /// The layer that takes input; nil before anything was displayed.
  private(set) var layer: ViewPath?
  /// The view that has the focus.
  private(set) var focus: ViewPath?
  /// The rows of lists, and which one is selected.
  private var rows: [ViewPath: any KnownRows] = [:]
  /// The rows of lists before the input that is taken, with what others have changed.
  private var rowsBefore: [ViewPath: any KnownRows] = [:]
  /// The lists whose selected rows the user has done something with.
  private var actedRows: Set<ViewPath> = []
  /// Whether the user has done something with what has the focus.
  private var hasActed = false
  /// Whether what had the focus has gone, and the user may not know that.
  private var hasLost = false
  /// Whether the user is told that something had no effect, in the picture that comes next.
  ///
  /// What was typed behind that had something else in view, and has no effect either.
  private(set) var isReported = false
  /// Whether the input that is taken has moved the focus.
  private var isMoving = false
  /// Whether input was meant for something that has gone.
  private var hasMissed = false
  /// The rows of the displayed picture, for the mouse.
  private var displayedRows: [ViewPath: any KnownRows] = [:]
  /// Where views were in the displayed picture, for the mouse.
  private var displayed: [Frame.Responder] = []
  /// The views between which the user moves the focus.
  private var order: [ViewPath] = []

  /// What the user knows of a list.
  func rows<ID: Hashable>(at path: ViewPath) -> ShownRows<ID>? { rows[path] as? ShownRows<ID> }

  /// The row of a list at a place that the displayed picture has shown.
  func row<ID: Hashable>(atLine line: Int, of path: ViewPath) -> ID? {
    (displayedRows[path] as? ShownRows<ID>).flatMap { $0.id(at: $0.first + line) }
  }

  /// Whether a list had a row before the input that is taken.
  func hadRow<ID: Hashable>(_ row: ID, at path: ViewPath) -> Bool {
    (rowsBefore[path] as? ShownRows<ID>)?.ids.contains(row) ?? false
  }

  /// Whether the row that takes the place of a selected one which has gone can be selected now: the
  /// user was told, or has probably removed it.
  func allowsReplacement(at path: ViewPath) -> Bool { isReported || actedRows.contains(path) }

  // MARK: - Changes

  /// Gives the views other identities.
  func rename(_ renamed: (ViewPath) -> ViewPath) {
    layer = layer.map(renamed)
    focus = focus.map(renamed)
    rows = rows.withPaths(renamed)
    rowsBefore = rowsBefore.withPaths(renamed)
    displayedRows = displayedRows.withPaths(renamed)
    actedRows = Set(actedRows.map(renamed))
    order = order.map(renamed)
    for place in displayed.indices { displayed[place].path = renamed(displayed[place].path) }
  }

  /// Notes what is displayed from now on.
  func display(_ frame: Frame) {
    for accept in frame.afterDisplay { accept(frame) }
    let isGone = layer.map { layer in
      frame.order[layer] == nil
        || layer == frame.layer && focus.map { !frame.focusables.contains($0) } ?? false
    }
    hasLost = !isReported && (hasLost || isGone == true && !hasActed)
    setFocus(of: frame)
    for (path, known) in frame.rows where rows[path].map({ $0.hasSameSelection(as: known) }) != true
    {
      actedRows.remove(path)
    }
    (rows, displayedRows, order) = (frame.rows, frame.rows, frame.focusables)
    (displayed, isReported) = (frame.responders, false)
  }

  private func setFocus(of frame: Frame) {
    if layer != frame.layer || focus != frame.focus { hasActed = false }
    (layer, focus) = (frame.layer, frame.focus)
  }

  /// Notes what the user's own input has led to.
  ///
  /// - Parameters:
  ///   - frame: The views after the input.
  ///   - before: The views before it.
  func reach(_ frame: Frame, from before: Frame) {
    if isMoving || frame.layer != before.layer || frame.focus != before.focus {
      (hasLost, isMoving) = (false, false)
      setFocus(of: frame)
    } else {
      hasActed = true
    }
    if frame.focusables != before.focusables { order = frame.focusables }
    for (path, new) in frame.rows {
      let isSame = before.rows[path]?.hasSameSelection(as: new) ?? false
      if isSame, frame.layer == before.layer { actedRows.insert(path) }
      rows[path] = new.known(from: before.rows[path], rows[path])
    }
  }

  /// Notes that the user's own input has moved the focus.
  func reachFocus(_ path: ViewPath) {
    (focus, isMoving) = (path, true)
  }

  /// Notes which row of a list the user's own input has led to.
  func reach<ID: Hashable>(_ row: ID, at path: ViewPath) {
    var known: ShownRows<ID> = rows(at: path) ?? ShownRows()
    known.selected = row
    rows[path] = known
    actedRows.remove(path)
  }

  /// Begins to take input, with the views as they are now.
  func begin(with frame: Frame) {
    rowsBefore = frame.rows
    guard layer == nil else { return }
    (rows, displayedRows, order) = (frame.rows, frame.rows, frame.focusables)
    displayed = frame.responders
    setFocus(of: frame)
  }

  /// Notes that input was meant for something that has gone.
  func miss() -> Bool {
    hasMissed = true
    return true
  }

  /// Whether input was meant for something that has gone since this was asked last; the user is
  /// told that in the next picture.
  func takeMiss() -> Bool {
    defer { hasMissed = false }
    isReported = isReported || hasMissed
    return hasMissed
  }

  // MARK: - Input

  /// Whether a key can be meant for what there is now.
  func allows(_ key: Key, in frame: Frame) -> Bool {
    guard layer == frame.layer else { return false }
    if key == .tab || key == .backTab { return true }
    if let focus, !frame.focusables.contains(focus) { return false }
    return !hasLost || !isPress(key, in: frame)
  }

  /// Whether a paste can be meant for what there is now.
  func allowsPaste(in frame: Frame) -> Bool {
    guard layer == frame.layer, !hasLost else { return false }
    return focus.map(frame.focusables.contains) ?? true
  }

  /// Whether a key presses or edits what has the focus, as far as that can be told before.
  private func isPress(_ key: Key, in frame: Frame) -> Bool {
    key == .enter || key == " " || responder(in: frame)?.onText != nil
  }

  /// The view to which the tabulator leads: the next one of those that the user has seen.
  func next(_ distance: Int, in frame: Frame) -> ViewPath? {
    let present = Set(frame.focusables)
    guard !present.isEmpty else { return nil }
    guard let focus, let place = order.firstIndex(of: focus) else { return frame.focusables.first }
    var next = place
    repeat {
      next = (next + distance + order.count) % order.count
      if present.contains(order[next]) { return order[next] }
    } while next != place
    return frame.focusables.first
  }

  /// What takes the keys of a user that has the focus in mind.
  func responder(in frame: Frame) -> Frame.Responder? {
    focus.flatMap { focus in frame.responders.first { $0.path == focus && $0.isFocusable } }
  }

  /// The views at a place of the displayed picture, the topmost first, as they are now.
  ///
  /// - Returns: Nil where one of them has gone.
  func responders(at place: Point, in frame: Frame) -> [(Frame.Responder, Point)]? {
    guard layer == frame.layer else { return nil }
    var found: [(Frame.Responder, Point)] = []
    let now = Dictionary(frame.responders.map { ($0.path, $0) }) { first, _ in first }
    for seen in displayed.reversed() where seen.area.contains(place) && seen.onMouse != nil {
      guard let responder = now[seen.path] else { return nil }
      let local = Point(x: place.x - seen.origin.x, y: place.y - seen.origin.y)
      found.append((responder, local))
    }
    return found
  }
}

/// What a user knows of the rows of a list.
@MainActor
protocol KnownRows {
  func hasSameSelection(as other: any KnownRows) -> Bool

  /// Whether at the same places of the list there are only rows that were not there before.
  func areReplaced(since old: any KnownRows) -> Bool

  /// What the user knows when these are the rows that the user's own input has led to.
  ///
  /// - Parameters:
  ///   - before: The rows before the input.
  ///   - known: What the user has known then.
  /// - Returns: What the user knows now.
  func known(from before: (any KnownRows)?, _ known: (any KnownRows)?) -> any KnownRows
}

/// The rows of a list that a picture shows.
struct ShownRows<ID: Hashable>: KnownRows {
  /// Where the first of them is in the list.
  var first = 0
  /// How many rows the list has.
  var count = 0
  var ids: [ID] = []
  /// The selected one.
  var selected: ID?
  /// The place in the list at which the cursor is shown.
  var cursor = 0

  /// The place in the list from which keys lead to others.
  var place: Int { selected.flatMap(offset) ?? cursor }

  func hasSameSelection(as other: any KnownRows) -> Bool {
    selected == (other as? ShownRows)?.selected
  }

  func areReplaced(since old: any KnownRows) -> Bool {
    guard let old = old as? ShownRows, first == old.first, count == old.count else { return false }
    return !ids.isEmpty && Set(ids).isDisjoint(with: old.ids)
  }

  func known(from before: (any KnownRows)?, _ known: (any KnownRows)?) -> any KnownRows {
    guard let before = before as? ShownRows, let known = known as? ShownRows else { return self }
    var new = self
    let (old, present) = (Set(before.ids), Set(ids))
    // Nor was displayed how others have moved, inserted or removed rows.
    let isMoved = before.ids.filter(present.contains) != ids.filter(old.contains)
    let order = isMoved ? known.sorted(like: self) : known.ids
    new.ids = order.filter { !old.contains($0) || present.contains($0) }
    for (place, id) in ids.enumerated() where !old.contains(id) && !new.ids.contains(id) {
      let previous = place > 0 ? new.ids.firstIndex(of: ids[place - 1]) : nil
      new.ids.insert(id, at: previous.map { $0 + 1 } ?? (place > 0 ? new.ids.count : 0))
    }
    (new.first, new.count) = (
      known.first + first - before.first, known.count + count - before.count,
    )
    if before.selected == selected {
      (new.selected, new.cursor) = (known.selected, known.cursor)
    }
    return new
  }

  /// The rows in the order of others, as far as these have them.
  private func sorted(like others: ShownRows) -> [ID] {
    let seen = Set(ids)
    var moved = others.ids.filter(seen.contains)[...]
    let isMoved = Set(moved)
    return ids.map { isMoved.contains($0) ? moved.removeFirst() : $0 }
  }

  /// Whether the last row of the list is among them.
  private var isAtEnd: Bool { first + ids.count == count }

  /// Whether all rows of the list are among them.
  var isWhole: Bool { first == 0 && isAtEnd }

  /// The rows that are candidates for the place of one that the user has removed: those behind it,
  /// and those before it where the list ends there.
  func successors(of id: ID) -> [ID] {
    guard let place = ids.firstIndex(of: id) else { return [] }
    return ids[(place + 1)...] + (isAtEnd ? ids[..<place].reversed() : [])
  }

  /// Where a row is in the list, as far as the picture shows it.
  func offset(of id: ID) -> Int? { ids.firstIndex(of: id).map { first + $0 } }

  /// The row at a place in the list, as far as the picture shows it.
  func id(at offset: Int) -> ID? {
    ids.indices.contains(offset - first) ? ids[offset - first] : nil
  }
}
