import GenericState
import StoreClient
import StoreHistory
import StoreProtocol
import StoreState

/// A running `log`: pages of the past become lines, at the pace of the output.
@MainActor
final class LogSession {
  /// The filter of the query.
  struct Filter {
    var scope: String?
    var client: Identifier?
    /// What is left out of the answers.
    var entries = LogFilter()
  }

  /// The delay before a daemon is polled again.
  private static let pause: Duration = .milliseconds(200)
  /// The minimum interval between two queries: the daemon closes a connection that exceeds its
  /// limit of queries in a second.
  static let breath: Duration = .milliseconds(20)

  private let past: Past
  private let filter: Filter
  private let isJSON: Bool
  private let after: UInt64
  /// The number of newest entries to list first; nil for all.
  private let tail: Int?
  private var pages: LogPages
  private var trail = LogTrail()
  /// The epoch of the pages.
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

  /// Prints until the list is complete or its reader has left; if followed, until a signal.
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

  /// Reads pages, each after the one before is written.
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
      let wanted = page.entries.filter(filter.entries.matches)
      guard let all = trail.news(in: wanted, hasMore: hasMore) else {
        try await beginAnew()
        continue
      }
      let news = all.prefix(pages.left)
      let step = try pages.take(page, known: page.entries.count - news.count)
      await tell(news)
      if step == .end || session.writer.failure != nil { return }
      if step == .wait { try await past.daemon?.connection.pause(for: Self.pause) }
    }
  }

  /// Restarts in a history that shares no printed entry.
  private func beginAnew() async throws {
    if let tail { try await readTail(tail) } else { pages.beginAnew(after: after) }
  }

  /// Lists the newest entries, after which all pages begin.
  private func readTail(_ count: Int) async throws {
    var newest = LogTail(count: count, after: after)
    while !session.isOver {
      guard let page = try await page(of: newest.pages) else {
        newest = LogTail(count: count, after: after)
        continue
      }
      guard try newest.take(page, where: filter.entries.matches) else { continue }
      pages.beginAnew(after: newest.pages.next)
      return await tell(trail.news(in: newest.entries, hasMore: false) ?? [])
    }
  }

  /// Requests the next page of a listing.
  ///
  /// - Returns: The page; nil if another epoch has begun: the answer may belong to another history,
  ///   with unrelated revisions.
  private func page(of pages: LogPages) async throws -> LogPages.Page? {
    if let askedAt, let connection = past.daemon?.connection {
      let rest = Self.breath - askedAt.duration(to: .now)
      if rest > .zero { try await connection.pause(for: rest) }
    }
    askedAt = .now
    // A following command reports the connection's events, and waits for a reconnect.
    let isFollowed = self.pages.isFollowed
    let page = try await past.page(
      after: pages.next,
      count: pages.count,
      scope: filter.scope,
      client: filter.client,
      waitsForDaemon: isFollowed,
    )
    guard epoch == past.epoch else {
      guard isFollowed else { throw LogPages.cut("A new epoch has begun.") }
      epoch = past.epoch
      return nil
    }
    if !isFollowed, page.newest < after {
      throw HistoryError.future(after, newest: page.newest)
    }
    return page
  }

  private func tell(_ entries: ArraySlice<GenericValue>) async {
    for entry in entries where !session.isOver {
      let line = LogLine(entry, action: past.action)
      if !isJSON { for refusal in line.refusals { session.writer.line(refusal) } }
      session.writer.line(isJSON ? line.tree.text() : line.text)
    }
    await session.writer.drained()
  }
}
