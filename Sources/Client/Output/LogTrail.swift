import GenericState

/// The last printed entries of a followed log, to find the entry at which another history diverges.
///
/// A daemon whose journal lost its end, or was restored, continues in another epoch from a revision
/// that was printed. Entries that both histories share are printed once.
struct LogTrail {
  /// The most entries that are remembered.
  static let most = 2_048

  /// The printed entries, oldest first.
  private var told: [GenericValue] = []
  /// The number of printed entries that the other history shares; nil unless one is compared.
  private var commonCount: Int?

  /// Begins to compare with another history.
  ///
  /// - Returns: The revision after which to request the other history; nil without printed entries.
  mutating func compare() -> UInt64? {
    guard case .unsigned(let first)? = told.first?[field: "revision"] else { return nil }
    commonCount = 0
    return first - 1
  }

  /// Takes entries, and records the new ones as printed.
  ///
  /// - Parameters:
  ///   - entries: The next ones of the history.
  ///   - hasMore: Whether further entries follow.
  /// - Returns: The entries that were not printed before; nil if this history shares no
  ///   printed one.
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
