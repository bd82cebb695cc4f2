import GenericState
import StoreClient
import StoreReplication
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
  /// The same between two parts of what there is already.
  private static let breath: Duration = .milliseconds(20)

  private let past: Past
  private let filter: Filter
  private let isJSON: Bool
  private let after: UInt64
  private var pages: LogPages
  private var trail = LogTrail()
  /// The epoch that the pages are of.
  private var epoch: UInt64?
  private let session: LineSession

  init(_ past: Past, _ filter: Filter, _ pages: LogPages, isJSON: Bool) {
    self.past = past
    self.filter = filter
    self.pages = pages
    after = pages.next
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

  /// Reads page after page, each when the one before is written.
  private func read() async throws {
    while !session.isOver {
      let query = HistoryQuery.log(
        after: pages.next,
        count: pages.count,
        scope: filter.scope,
        client: filter.client,
      )
      // Who follows is told what becomes of the connection, and waits for it to come back.
      let answer = try await past.answer(query, waitsForDaemon: pages.isFollowed)
      guard epoch == past.epoch else {
        // It may have been asked of another history, whose revisions are none of this one.
        guard pages.isFollowed else { throw LogPages.cut("A new epoch has begun.") }
        epoch = past.epoch
        pages.beginAnew(after: trail.compare() ?? after)
        continue
      }
      guard case .log(let entries, let reached, let newest) = answer else {
        throw Past.otherAnswer
      }
      if !pages.isFollowed, newest < after { throw HistoryError.future(after, newest: newest) }
      let hasMore = reached > pages.next && reached < newest
      guard let news = trail.news(in: entries, hasMore: hasMore) else {
        pages.beginAnew(after: after)
        continue
      }
      let known = entries.count - news.count
      let step = try pages.take(entries, through: reached, newest: newest, known: known)
      for entry in news where !session.isOver {
        let line = LogLine(entry, action: past.action)
        session.writer.line(isJSON ? line.tree.text() : line.text)
      }
      await session.writer.drained()
      if step == .end || session.writer.failure != nil { return }
      // A connection that asks for more in a second than is given is closed.
      try await past.daemon?.connection.pause(for: step == .ask ? Self.breath : Self.pause)
    }
  }
}
