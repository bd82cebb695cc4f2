import GenericState
import StoreClient
import StoreHistory
import StoreProtocol
import StoreState

/// A `log` under way: pages of the past become lines, as fast as the output takes them.
@MainActor
final class LogSession {
  /// What is asked for.
  struct Filter {
    var scope: String?
    var client: Identifier?
  }

  /// How long is waited before a daemon is asked for more.
  private static let pause: Duration = .milliseconds(200)
  /// How long is between two questions at least: a connection that asks for more in a second than
  /// is given is closed.
  private static let breath: Duration = .milliseconds(20)

  private let past: Past
  private let filter: Filter
  private let isJSON: Bool
  private let after: UInt64
  /// How many of the newest entries are listed first; nil for all.
  private let tail: Int?
  private var pages: LogPages
  private var trail = LogTrail()
  /// The epoch that the pages are of.
  private var epoch: UInt64?
  private var askedAt: ContinuousClock.Instant?
  private let session: LineSession

  init(_ past: Past, _ filter: Filter, _ pages: LogPages, tail: Int?, isJSON: Bool) {
    self.past = past
    self.filter = filter
    self.pages = pages
    after = pages.next
    self.tail = tail
    self.isJSON = isJSON
    epoch = past.epoch
    session = LineSession(isEndless: pages.isFollowed)
  }

  /// Prints until everything is told or nobody reads any more; who follows, until a signal comes.
  func run() async throws {
    if pages.isFollowed {
      past.daemon?.connection.onEvent = { [session] in session.handle($0) }
    }
    try await session.run { [self] in try await read() }
  }

  private func read() async throws {
    if let tail {
      try await readTail(tail)
      guard pages.isFollowed else { return }
    }
    try await readPages()
  }

  /// Reads page after page, each when the one before is written.
  private func readPages() async throws {
    while !session.isOver {
      guard let page = try await page(of: pages) else {
        if let known = trail.compare() {
          pages.beginAnew(after: known)
        } else {
          try await beginAnew()
        }
        continue
      }
      let hasMore = page.reached > pages.next && page.reached < page.newest
      guard let news = trail.news(in: page.entries, hasMore: hasMore) else {
        try await beginAnew()
        continue
      }
      let step = try pages.take(page, known: page.entries.count - news.count)
      await tell(news)
      if step == .end || session.writer.failure != nil { return }
      if step == .wait { try await past.daemon?.connection.pause(for: Self.pause) }
    }
  }

  /// Begins as it began, in a history that has nothing of what was told.
  private func beginAnew() async throws {
    if let tail { try await readTail(tail) } else { pages.beginAnew(after: after) }
  }

  /// Lists the newest entries, behind which all pages begin.
  private func readTail(_ count: Int) async throws {
    var newest = LogTail(count: count, after: after)
    while !session.isOver {
      guard let page = try await page(of: newest.pages) else {
        newest = LogTail(count: count, after: after)
        continue
      }
      guard try newest.take(page) else { continue }
      pages.beginAnew(after: newest.pages.next)
      return await tell(trail.news(in: newest.entries, hasMore: false) ?? [])
    }
  }

  /// Asks for the next one of some pages.
  ///
  /// - Returns: The page; nil where another epoch has begun: it may have been asked of another
  ///   history, whose revisions are none of this one.
  private func page(of pages: LogPages) async throws -> LogPages.Page? {
    if let askedAt, let connection = past.daemon?.connection {
      let rest = Self.breath - askedAt.duration(to: .now)
      if rest > .zero { try await connection.pause(for: rest) }
    }
    askedAt = .now
    let query = HistoryQuery.log(
      after: pages.next,
      count: pages.count,
      scope: filter.scope,
      client: filter.client,
    )
    // Who follows is told what becomes of the connection, and waits for it to come back.
    let isFollowed = self.pages.isFollowed
    let answer = try await past.answer(query, waitsForDaemon: isFollowed)
    guard epoch == past.epoch else {
      guard isFollowed else { throw LogPages.cut("A new epoch has begun.") }
      epoch = past.epoch
      return nil
    }
    guard case .log(let entries, let reached, let newest) = answer else { throw Past.otherAnswer }
    if !isFollowed, newest < after { throw HistoryError.future(after, newest: newest) }
    return LogPages.Page(entries: entries, reached: reached, newest: newest)
  }

  private func tell(_ entries: ArraySlice<GenericValue>) async {
    for entry in entries where !session.isOver {
      let line = LogLine(entry, action: past.action)
      session.writer.line(isJSON ? line.tree.text() : line.text)
    }
    await session.writer.drained()
  }
}
