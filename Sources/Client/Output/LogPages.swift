import GenericState
import StoreClient
import StoreState

/// Which pages of a log are asked for, and what of an answer is believed.
///
/// A daemon whose pages make no sense, or that goes on without telling anything, ends it with an
/// error.
struct LogPages {
  /// The step after a page.
  enum Step: Hashable {
    /// There is more to ask for.
    case ask
    /// There is no more for now.
    case wait
    /// The list is complete.
    case end
  }

  /// The content of an answer.
  struct Page: Hashable {
    var entries: [GenericValue]
    /// The last revision that was looked at.
    var reached: UInt64
    /// The newest revision.
    var newest: UInt64
  }

  /// The most entries of a page.
  static let most = 2_048
  /// The most pages in a row that tell nothing and have more behind them: of hundreds of thousands
  /// of revisions each.
  static let mostEmpty = 1_000

  /// How many revisions a page without an entry has looked at, at least, when there are more: a
  /// daemon looks at twenty times as many.
  static let leastLooked: UInt64 = 10_000
  /// The most pages in a row without an entry that have looked at fewer: an honest one may end
  /// early where it cannot read on.
  static let mostIdle = 8

  /// The revision after which the next page begins.
  private(set) var next: UInt64
  /// Whether what happens from now on is wanted, too.
  let isFollowed: Bool
  /// How many entries are still wanted.
  private var left: Int
  /// The newest revision when the first page came; where the log is followed, as of the last one.
  private var newest: UInt64?
  private var emptyCount = 0
  private var idleCount = 0

  /// The pages after a revision.
  ///
  /// - Parameters:
  ///   - revision: The revision.
  ///   - count: How many entries are wanted; nil for all.
  ///   - isFollowed: Whether what happens from now on is wanted, too.
  init(after revision: UInt64, count: Int?, isFollowed: Bool) {
    next = revision
    left = count ?? .max
    self.isFollowed = isFollowed
  }

  /// How many entries the next page may have.
  var count: UInt64 { UInt64(min(left, Self.most)) }

  /// Asks for pages of another history than the one that was told.
  ///
  /// - Parameter revision: Behind which revision they begin.
  mutating func beginAnew(after revision: UInt64) {
    next = revision
    newest = nil
    (emptyCount, idleCount) = (0, 0)
  }

  /// Takes a page.
  ///
  /// - Parameters:
  ///   - page: The page.
  ///   - known: How many of its entries were told already, and do not count.
  /// - Returns: The step after the page.
  /// - Throws: ``ConnectionError`` where it cannot be the page that was asked for, or the last one
  ///   of a list that is not at its end.
  mutating func take(_ page: Page, known: Int = 0) throws(ConnectionError) -> Step {
    let (entries, reached) = (page.entries, page.reached)
    guard UInt64(entries.count) <= count else {
      throw Self.nonsense("a page of \(entries.count) entries, where \(count) were asked for")
    }
    guard reached >= next else {
      throw Self.nonsense("a page that ends with revision \(reached), behind \(next)")
    }
    var last = next
    for entry in entries {
      guard case .unsigned(let revision)? = entry[field: "revision"] else {
        throw Self.nonsense("an entry without a revision, behind \(last)")
      }
      guard revision > last, revision <= reached else {
        throw Self.nonsense("revision \(revision) in a page behind \(last), through \(reached)")
      }
      last = revision
    }
    left -= entries.count - known
    let looked = reached - next
    next = reached
    // What happens meanwhile is not waited for: there might be more for ever.
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
        "\(idleCount) pages without an entry, the last one of \(looked) revisions, and that there "
          + "are more"
      )
    }
    guard emptyCount <= Self.mostEmpty else {
      throw Self.nonsense("\(emptyCount) pages without an entry, and that there are more")
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

  private static func nonsense(_ what: String) -> ConnectionError {
    ConnectionError(
      .malformed,
      "The daemon's answer makes no sense: it told \(what).",
      remedy: "Use programs of the same release; if they are, look at what answers there.",
    )
  }
}
