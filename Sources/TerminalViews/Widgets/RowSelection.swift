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
  /// How many columns of a table are scrolled out at the left.
  var shift = 0

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
  package mutating func follow(count: Int, id idOf: (Int) -> ID) {
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
