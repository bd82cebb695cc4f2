/// The target of a user's input: a view or row that the displayed picture has shown, or that the
/// user's own input has reached since.
///
/// Others change the views at any time. Between a change and the picture that shows it, a key must
/// not act on a view or a row that the user has not seen. So input looks for its target among the
/// current views. If the target was removed, the input has no effect.
///
/// If the target was removed without a key of the user's, the next key that presses or edits has no
/// effect either, although its picture is displayed: the user had probably pressed it already.
@MainActor
final class InputAim {
  /// The layer that takes input; nil before the first display.
  private(set) var layer: ViewPath?
  /// The view that has the focus.
  private(set) var focus: ViewPath?
  /// The rows of lists, with their selections.
  private var rows: [ViewPath: any KnownRows] = [:]
  /// The rows of lists before the current input, including changes by others.
  private var rowsBefore: [ViewPath: any KnownRows] = [:]
  /// The lists whose selected rows have received input from the user.
  private var actedRows: Set<ViewPath> = []
  /// Whether the focused view has received input from the user.
  private var hasActed = false
  /// Whether the focused view was removed, possibly unnoticed by the user.
  private var hasLost = false
  /// Whether the next picture reports to the user that input had no effect.
  ///
  /// Input typed after that was meant for another picture, and has no effect either.
  private(set) var isReported = false
  /// Whether the current input has moved the focus.
  private var isMoving = false
  /// Whether the target of an input was removed.
  private var hasMissed = false
  /// The rows of the displayed picture, for the mouse.
  private var displayedRows: [ViewPath: any KnownRows] = [:]
  /// The places of views in the displayed picture, for the mouse.
  private var displayed: [Frame.Responder] = []
  /// The views between which the user moves the focus.
  private var order: [ViewPath] = []

  /// Returns the rows of a list that the user knows.
  func rows<ID: Hashable>(at path: ViewPath) -> ShownRows<ID>? { rows[path] as? ShownRows<ID> }

  /// Returns the row that the displayed picture shows at a line of a list.
  func row<ID: Hashable>(atLine line: Int, of path: ViewPath) -> ID? {
    (displayedRows[path] as? ShownRows<ID>).flatMap { $0.id(at: $0.first + line) }
  }

  /// Returns whether a list had a row before the current input.
  func hadRow<ID: Hashable>(_ row: ID, at path: ViewPath) -> Bool {
    (rowsBefore[path] as? ShownRows<ID>)?.ids.contains(row) ?? false
  }

  /// Returns whether the replacement of a removed selected row can be selected now: the removal was
  /// reported to the user, or the user has probably caused it.
  func allowsReplacement(at path: ViewPath) -> Bool { isReported || actedRows.contains(path) }

  // MARK: - Changes

  /// Replaces the identities of the views.
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

  /// Notes the views that are displayed from now on.
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

  /// Notes the views that result from the user's own input.
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

  /// Notes the row of a list that the user's own input has reached.
  func reach<ID: Hashable>(_ row: ID, at path: ViewPath) {
    var known: ShownRows<ID> = rows(at: path) ?? ShownRows()
    known.selected = row
    rows[path] = known
    actedRows.remove(path)
  }

  /// Begins to take input, with the current views.
  func begin(with frame: Frame) {
    rowsBefore = frame.rows
    guard layer == nil else { return }
    (rows, displayedRows, order) = (frame.rows, frame.rows, frame.focusables)
    displayed = frame.responders
    setFocus(of: frame)
  }

  /// Notes that the target of the input was removed; returns true.
  func miss() -> Bool {
    hasMissed = true
    return true
  }

  /// Returns whether the target of an input was removed since the last call.
  ///
  /// The next picture reports that to the user.
  func takeMiss() -> Bool {
    defer { hasMissed = false }
    isReported = isReported || hasMissed
    return hasMissed
  }

  // MARK: - Input

  /// Returns whether the target of a key is present.
  func allows(_ key: Key, in frame: Frame) -> Bool {
    guard layer == frame.layer else { return false }
    if key == .tab || key == .backTab { return true }
    if let focus, !frame.focusables.contains(focus) { return false }
    return !hasLost || !isPress(key, in: frame)
  }

  /// Returns whether the target of a paste is present.
  func allowsPaste(in frame: Frame) -> Bool {
    guard layer == frame.layer, !hasLost else { return false }
    return focus.map(frame.focusables.contains) ?? true
  }

  /// Returns whether a key presses or edits the focused view, as far as its kind shows in advance.
  private func isPress(_ key: Key, in frame: Frame) -> Bool {
    key == .enter || key == " " || responder(in: frame)?.onText != nil
  }

  /// Returns the view to which the tabulator leads: the next present view among those that the user
  /// has seen.
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

  /// Returns the view that takes keys: the focused view that the user knows.
  func responder(in frame: Frame) -> Frame.Responder? {
    focus.flatMap { focus in frame.responders.first { $0.path == focus && $0.isFocusable } }
  }

  /// Returns the current views at a place of the displayed picture, the topmost first.
  ///
  /// - Returns: Nil if one of them was removed, or if another layer takes input now.
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

/// The rows of a list, as a user knows them.
@MainActor
protocol KnownRows {
  func hasSameSelection(as other: any KnownRows) -> Bool

  /// Returns whether all rows at the same places of the list are new.
  func areReplaced(since old: any KnownRows) -> Bool

  /// Returns the rows that the user knows after the user's own input has led to these rows.
  ///
  /// - Parameters:
  ///   - before: The rows before the input.
  ///   - known: The rows that the user knew before the input.
  /// - Returns: The rows that the user knows now.
  func known(from before: (any KnownRows)?, _ known: (any KnownRows)?) -> any KnownRows
}

/// The rows of a list that a picture shows.
struct ShownRows<ID: Hashable>: KnownRows {
  /// The place of the first row in the list.
  var first = 0
  /// The number of rows in the list.
  var count = 0
  var ids: [ID] = []
  /// The selected row.
  var selected: ID?
  /// The place in the list at which the cursor is shown.
  var cursor = 0

  /// The place in the list from which movement keys count.
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
    // Moves, insertions and removals by others have not been displayed either.
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

  /// Returns the rows in the order of other rows, as far as those contain them.
  private func sorted(like others: ShownRows) -> [ID] {
    let seen = Set(ids)
    var moved = others.ids.filter(seen.contains)[...]
    let isMoved = Set(moved)
    return ids.map { isMoved.contains($0) ? moved.removeFirst() : $0 }
  }

  /// Whether the rows include the last row of the list.
  private var isAtEnd: Bool { first + ids.count == count }

  /// Whether the rows are all rows of the list.
  var isWhole: Bool { first == 0 && isAtEnd }

  /// Returns the candidates to replace a row that the user has removed: the rows after it, and the
  /// rows before it if the end of the list is displayed.
  func successors(of id: ID) -> [ID] {
    guard let place = ids.firstIndex(of: id) else { return [] }
    return ids[(place + 1)...] + (isAtEnd ? ids[..<place].reversed() : [])
  }

  /// Returns the place of a row in the list; nil if the picture does not show the row.
  func offset(of id: ID) -> Int? { ids.firstIndex(of: id).map { first + $0 } }

  /// Returns the row at a place in the list; nil if the picture does not show the place.
  func id(at offset: Int) -> ID? {
    ids.indices.contains(offset - first) ? ids[offset - first] : nil
  }
}
