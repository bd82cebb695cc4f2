import GenericState
import StoreClient
import StoreState

/// Decides which pages of a log to request, and validates the answers.
///
/// An invalid page, or too many pages without entries, ends the listing with an error.
struct LogPages {
  /// The step after a page.
  enum Step: Hashable {
    /// Request the next page.
    case ask
    /// Wait for new revisions.
    case wait
    /// The list is complete.
    case end
  }

  /// The content of an answer.
  struct Page: Hashable {
    var entries: [GenericValue]
    /// The last revision that the daemon examined.
    var reached: UInt64
    /// The newest revision.
    var newest: UInt64
  }

  /// The most entries of a page.
  static let most = 2_048
  /// The most consecutive pages without entries, if more pages follow; each page may cover hundreds
  /// of thousands of revisions.
  static let mostEmpty = 1_000

  /// The number of revisions below which a page without entries counts as idle, if more
  /// pages follow.
  ///
  /// A daemon examines twenty times as many.
  static let leastLooked: UInt64 = 10_000
  /// The most consecutive idle pages.
  ///
  /// A correct daemon may end a page early if it cannot read on.
  static let mostIdle = 8

  /// The revision after which the next page begins.
  private(set) var next: UInt64
  /// Whether the listing continues with new revisions.
  let isFollowed: Bool
  /// The number of entries that are still to be listed.
  private(set) var left: Int
  /// Whether some entries of a page may not be listed, so that full pages are requested.
  private let isFiltered: Bool
  /// The newest revision as of the first page; if the log is followed, as of the last page.
  private var newest: UInt64?
  private var emptyCount = 0
  private var idleCount = 0

  /// The pages after a revision.
  ///
  /// - Parameters:
  ///   - revision: The revision.
  ///   - count: The number of entries to list; nil for all.
  ///   - isFollowed: Whether the listing continues with new revisions.
  ///   - isFiltered: Whether some entries of a page may not be listed.
  init(after revision: UInt64, count: Int?, isFollowed: Bool, isFiltered: Bool = false) {
    self.isFiltered = isFiltered
    next = revision
    left = count ?? .max
    self.isFollowed = isFollowed
  }

  /// The most entries of the next page.
  var count: UInt64 { UInt64(isFiltered ? Self.most : min(left, Self.most)) }

  /// Restarts with the pages of another history.
  ///
  /// - Parameter revision: The revision after which they begin.
  mutating func beginAnew(after revision: UInt64) {
    next = revision
    newest = nil
    (emptyCount, idleCount) = (0, 0)
  }

  /// Validates a page, and advances past it.
  ///
  /// - Parameters:
  ///   - page: The page.
  ///   - known: The number of its entries that were printed before; they do not count.
  /// - Returns: The step after the page.
  /// - Throws: ``ConnectionError`` if the page does not match the request, or if it is the last
  ///   page of an incomplete list.
  mutating func take(_ page: Page, known: Int = 0) throws(ConnectionError) -> Step {
    let (entries, reached) = (page.entries, page.reached)
    guard UInt64(entries.count) <= count else {
      throw Self.nonsense("a page of \(entries.count) entries, where \(count) were asked for")
    }
    guard reached >= next else {
      throw Self.nonsense("a page that ends with revision \(reached), before \(next)")
    }
    var last = next
    for entry in entries {
      guard case .unsigned(let revision)? = entry[field: "revision"] else {
        throw Self.nonsense("an entry without a revision, after \(last)")
      }
      guard revision > last, revision <= reached else {
        throw Self.nonsense("revision \(revision) in a page after \(last), through \(reached)")
      }
      last = revision
    }
    left -= entries.count - known
    let looked = reached - next
    next = reached
    // A list that is not followed ends at the newest revision of its first page; otherwise it might
    // never end.
    let end = isFollowed ? page.newest : newest ?? page.newest
    newest = end
    guard left > 0 else { return .end }
    guard looked > 0, next < end else {
      (emptyCount, idleCount) = (0, 0)
      if isFollowed { return .wait }
      if next < end {
        throw Self.cut("It ended with revision \(next), and \(end) was there before.")
      }
      return .end
    }
    emptyCount = entries.isEmpty ? emptyCount + 1 : 0
    idleCount = entries.isEmpty && looked < Self.leastLooked ? idleCount + 1 : 0
    guard idleCount <= Self.mostIdle else {
      throw Self.nonsense(
        "\(idleCount) pages without an entry, the last one of \(looked) revisions, and announced "
          + "more"
      )
    }
    guard emptyCount <= Self.mostEmpty else {
      throw Self.nonsense("\(emptyCount) pages without an entry, and announced more")
    }
    return .ask
  }

  /// The error of a list that cannot be completed.
  static func cut(_ reason: String) -> ConnectionError {
    ConnectionError(
      .tryAgain,
      "The history was replaced while it was listed. \(reason)",
      remedy: "List it again.",
    )
  }

  private static func nonsense(_ content: String) -> ConnectionError {
    ConnectionError(
      .malformed,
      "The daemon's answer is invalid: it sent \(content).",
      remedy: "Use programs of the same release; if they are, check which program answers.",
    )
  }
}
