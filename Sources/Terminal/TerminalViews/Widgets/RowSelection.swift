/// The selected row of a list, by its id, and the list's scroll position.
///
/// The selection stays with its row while others insert, remove and move rows. If the row is
/// removed, the cursor stands on the row in its place, but ``id`` keeps the id of the removed row:
/// a key that was meant for it has no effect on another one. ``id`` becomes that of the replacement
/// when the user moves the cursor, or has seen a report of the removal.
///
/// Each list of each session needs its own selection: two lists that share one scroll each other.
public struct RowSelection<ID: Hashable>: Equatable {
  /// The row on which keys act, which may be removed; nil if there is none.
  public private(set) var id: ID?
  /// The last known place of the row.
  public private(set) var offset = 0
  /// Whether the selected row was not found.
  package private(set) var isMissing = false
  /// Whether the removal of the selected row was reported to the user.
  private(set) var isReleased = false
  /// The first visible row.
  private(set) var top = 0
  /// The number of a table's columns that are scrolled out at the left.
  var shift = 0

  /// Selects the first row.
  public init() {}

  /// Selects a row.
  public mutating func select(_ offset: Int, id: ID?) {
    self.offset = offset
    self.id = id
    (isMissing, isReleased) = (false, false)
  }

  /// Gives up a removed row, after the program has reported the removal to the user.
  ///
  /// The replacement is selected after a picture has shown the cursor on it. The call has no effect
  /// if the row is present.
  public mutating func release() { isReleased = isMissing }

  /// Finds the current place of the selected row.
  ///
  /// The search costs time in proportion to the distance that the row has moved, or to the number
  /// of rows if the row is absent.
  ///
  /// - Parameters:
  ///   - count: The number of rows.
  ///   - accepts: Whether the replacement of a removed row is selected.
  ///   - idOf: Returns the id of the row at a place.
  package mutating func follow(count: Int, accepts: Bool = true, id idOf: (Int) -> ID) {
    if let id, let found = place(of: id, count, idOf) {
      top += found - offset
      return select(found, id: id)
    }
    // A row that others have removed before stays missing.
    let accepts = accepts && !isMissing
    guard count > 0 else {
      (offset, top) = (0, 0)
      if accepts { id = nil }
      isMissing = id != nil
      return
    }
    offset = min(offset, count - 1)
    if accepts { id = idOf(offset) } else { isMissing = true }
  }

  /// Selects the row at the place of a removed one; nil if there are no rows.
  mutating func replace(count: Int, id idOf: (Int) -> ID) {
    guard count > 0 else { return select(0, id: nil) }
    let place = min(offset, count - 1)
    select(place, id: idOf(place))
  }

  /// Moves the cursor to the place of a row that was removed since it was displayed; nil for
  /// no row.
  mutating func miss(_ id: ID?, near offset: Int) {
    (self.offset, self.id, isMissing, isReleased) = (offset, id, true, false)
  }

  /// Returns the place of a row, searching outward from the cursor; nil if the row is absent.
  func place(of id: ID, _ count: Int, _ idOf: (Int) -> ID) -> Int? {
    if offset < count, idOf(offset) == id { return offset }
    var (before, after) = (min(offset, count) - 1, min(offset, count))
    while before >= 0 || after < count {
      if after < count, idOf(after) == id { return after }
      if before >= 0, idOf(before) == id { return before }
      (before, after) = (before - 1, after + 1)
    }
    return nil
  }

  /// Scrolls so that the selected row is visible.
  ///
  /// - Returns: The visible rows.
  mutating func window(height: Int, count: Int) -> Range<Int> {
    let height = max(0, height)
    top = min(top, offset)
    if offset >= top + height { top = offset - height + 1 }
    top = max(0, min(top, count - height))
    return top..<min(count, top + height)
  }

  /// Returns the row to which a key leads from the cursor.
  ///
  /// - Returns: The row; nil if the key does not move the cursor.
  func destination(_ key: Key, height: Int, count: Int) -> Int? {
    Self.destination(key, from: offset, height: height, count: count)
  }

  /// Returns the row to which a key leads from another row.
  static func destination(_ key: Key, from offset: Int, height: Int, count: Int) -> Int? {
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
