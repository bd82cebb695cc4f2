import GenericState

/// What was told last of a log that is followed, to find where another history leaves it.
///
/// A daemon whose journal lost its end, or was put back, goes on in another epoch from a revision
/// that was told. What both histories have is told once.
struct LogTrail {
  /// How many entries are remembered.
  static let most = 2_048

  /// Oldest first.
  private var told: [GenericValue] = []
  /// How many of them another history has for certain; nil where none is compared with.
  private var commonCount: Int?

  /// Begins to compare with another history.
  ///
  /// - Returns: Behind which revision it is to be asked for; nil where nothing was told.
  mutating func compare() -> UInt64? {
    guard case .unsigned(let first)? = told.first?[field: "revision"] else { return nil }
    commonCount = 0
    return first - 1
  }

  /// Takes entries, and those that are news for told.
  ///
  /// - Parameters:
  ///   - entries: The next ones of the history.
  ///   - hasMore: Whether further entries follow.
  /// - Returns: Those that were not told; nil where nothing of what was told is in this history.
  mutating func news(in entries: [GenericValue], hasMore: Bool) -> ArraySlice<GenericValue>? {
    var news = entries[...]
    if var count = commonCount {
      while count < told.count, let entry = news.first, entry == told[count] {
        count += 1
        news.removeFirst()
      }
      let isOver = count == told.count || !news.isEmpty || !hasMore
      commonCount = isOver ? nil : count
      if isOver {
        told.removeSubrange(count...)
        if count == 0 { return nil }
      }
    }
    told += news
    told.removeFirst(max(0, told.count - Self.most))
    return news
  }
}
