/// Which row of a list is selected, by its id, and how far the list is scrolled.
///
/// Rows come, go and move while others change them, and the selection stays with its row. Where
/// the row has gone, the cursor stands on the one in its place, but ``id`` is still that of the row
/// that has gone: a key that was meant for it has no effect on another one. ``id`` becomes that of
/// the row in its place when the user has moved the cursor, or was told and has seen that.
///
/// Each list of each session has its own: two lists that share one scroll each other.
public struct RowSelection<ID: Hashable>: Equatable {
  /// The row that keys are for, which may have gone; nil while there is none.
  public private(set) var id: ID?
  /// Where the row was seen last.
  public private(set) var offset = 0
  /// Whether the selected row was not found.
  package private(set) var isMissing = false
  /// Whether the user was told that the selected row has gone.
  private(set) var isReleased = false
  /// The first row that is to be seen.
  private(set) var top = 0
  /// How many columns of a table are scrolled out at the left.
  var shift = 0

  /// Selects the first row.
  public init() {}

  /// Selects a row.
  public mutating func select(_ offset: Int, id: ID?) {
    self.offset = offset
    self.id = id
    (isMissing, isReleased) = (false, false)
  }

  /// Gives up a row that has gone, of which the program tells the user.
  ///
  /// When a picture has shown the cursor on the row in its place, that is selected.
  /// Nothing happens where the row is there.
  public mutating func release() { isReleased = isMissing }

  /// Finds the selected row where it is now.
  ///
  /// That takes no time where it has not moved, or not far.
  ///
  /// - Parameters:
  ///   - count: How many rows there are.
  ///   - accepts: Whether the row that has come to the place of one that has gone is selected.
  ///   - idOf: The id of the row at a place.
  package mutating func follow(count: Int, accepts: Bool = true, id idOf: (Int) -> ID) {
    if let id, let found = place(of: id, count, idOf) {
      top += found - offset
      return select(found, id: id)
    }
    // One that others have removed before stays so.
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

  /// Selects the row at the place of one that has gone; none where there are no rows.
  mutating func replace(count: Int, id idOf: (Int) -> ID) {
    guard count > 0 else { return select(0, id: nil) }
    let place = min(offset, count - 1)
    select(place, id: idOf(place))
  }

  /// Moves the cursor to the place of a row that has gone since it was seen; nil for none.
  mutating func miss(_ id: ID?, near offset: Int) {
    (self.offset, self.id, isMissing, isReleased) = (offset, id, true, false)
  }

  /// The place of a row, looked for near the cursor first; nil where there is none such.
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
    Self.destination(key, from: offset, height: height, count: count)
  }

  /// The row to which a key leads from another one.
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
