import GenericState
import StoreClient

/// The newest entries of a log: for them more and more is looked through, each time up to its end.
///
/// How many revisions an entry is among depends on what is asked for, so the span grows until it
/// has enough of them. All that was looked through in vain is little beside the last span.
struct LogTail {
  /// How much longer the next span is.
  private static let growth: UInt64 = 8

  private let count: Int
  private let after: UInt64
  private var span: UInt64
  /// What is asked for next; at first only where the end is.
  private(set) var pages = LogPages(after: .max, count: nil, isFollowed: false)
  /// Behind which revision the present span begins; nil while it is not known where the end is.
  private var start: UInt64?
  /// What was found in it, oldest first.
  private(set) var entries: [GenericValue] = []

  /// The newest entries after a revision.
  init(count: Int, after revision: UInt64) {
    self.count = count
    after = revision
    span = UInt64(count)
  }

  /// Takes a page.
  ///
  /// - Returns: Whether all that is wanted was found.
  /// - Throws: ``ConnectionError`` where it cannot be the page that was asked for.
  mutating func take(_ page: LogPages.Page) throws(ConnectionError) -> Bool {
    if let start {
      let step = try pages.take(page)
      entries += page.entries
      // What is too much goes in large pieces: each time the rest moves.
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
