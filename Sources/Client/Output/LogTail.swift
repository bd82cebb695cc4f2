import GenericState
import StoreClient

/// The newest entries of a log.
///
/// They are searched in spans of growing length, each up to the end.
///
/// The density of matching entries depends on the query, so the span grows until it contains
/// enough. All previous spans together are small compared to the last one.
struct LogTail {
  /// The factor by which the span grows.
  private static let growth: UInt64 = 8

  private let count: Int
  private let after: UInt64
  private var span: UInt64
  /// The position of the next query; the first one only finds the end.
  private(set) var pages = LogPages(after: .max, count: nil, isFollowed: false)
  /// The revision after which the current span begins; nil while the end is unknown.
  private var start: UInt64?
  /// The entries in the span, oldest first.
  private(set) var entries: [GenericValue] = []

  /// Searches for the newest entries after a revision.
  init(count: Int, after revision: UInt64) {
    self.count = count
    after = revision
    span = UInt64(count)
  }

  /// Takes a page.
  ///
  /// - Parameters:
  ///   - page: The page.
  ///   - isWanted: Whether an entry counts.
  /// - Returns: Whether the search is complete.
  /// - Throws: ``ConnectionError`` if the page does not match the request.
  mutating func take(
    _ page: LogPages.Page,
    where isWanted: (GenericValue) -> Bool = { _ in true },
  ) throws(ConnectionError) -> Bool {
    if let start {
      let step = try pages.take(page)
      entries += page.entries.filter(isWanted)
      // Surplus entries are removed in large batches, since each removal moves the rest.
      if step == .end || entries.count / 2 > count { entries = entries.suffix(count) }
      guard step == .end else { return false }
      if entries.count == count || start <= after { return true }
      let (longer, isTooLong) = span.multipliedReportingOverflow(by: Self.growth)
      span = isTooLong ? .max : longer
    }
    begin(before: page.newest)
    return count == 0
  }

  private mutating func begin(before newest: UInt64) {
    let start = max(after, newest - min(newest, span))
    self.start = start
    entries = []
    pages = LogPages(after: start, count: nil, isFollowed: false)
  }
}
