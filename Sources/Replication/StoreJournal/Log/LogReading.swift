/// The entries of a log, over all of its segments.
struct LogReading {
  /// An entry, and the segment that it is in.
  struct Found {
    let head: LogEntry.Head
    let records: [UInt8]
    let header: LogHeader
  }

  /// Something in a log is not as it was written.
  struct Damage: Error {
    /// The first revision that cannot be read.
    let revision: UInt64
    /// What it says it is, where it is known.
    let claimed: LogEntry.Head?
    /// The segment that cannot be read; nil where it is an entry.
    var path: String?

    var description: String {
      if let path { return "what \(path) begins with cannot be read" }
      guard let claimed, claimed.first == revision else {
        return "revision \(revision) cannot be read"
      }
      return "revisions \(claimed.first) to \(claimed.last) do not have the checksum they were "
        + "kept with"
    }
  }

  let directory: String
  /// Whether somebody may be writing it.
  var isWritten = false
  /// Watches searches; nil where nobody does.
  var onSearch: LogSearch?

  /// Hands over the entries that end behind a revision, up to the one that is not asked for.
  ///
  /// Entries follow one another as far as their revisions and checksums say so, which is for
  /// whoever takes them to look at.
  ///
  /// - Parameters:
  ///   - revision: The revision.
  ///   - segments: The log's.
  ///   - limit: Entries that begin later are left out.
  ///   - take: Takes an entry, and says whether it wants more.
  /// - Throws: ``JournalError``, ``Damage``, or what `take` throws.
  func entries(
    after revision: UInt64,
    of segments: [LogSegment],
    through limit: UInt64 = .max,
    _ take: (Found) throws -> Bool,
  ) throws {
    var reached = revision
    let start = segments.lastIndex { $0.first - 1 <= revision } ?? 0
    for (place, segment) in segments.enumerated().dropFirst(start) {
      let next = place + 1 < segments.count ? segments[place + 1] : nil
      let end = min(limit, next.map { $0.first - 1 } ?? .max)
      // What was read in the middle of a write is read again. It is whole then, for there was a
      // whole one behind it: so what cannot be read twice is damaged.
      var unread: UInt64?
      while true {
        let loaded = try load(segment, isWritten: isWritten && next == nil, after: reached)
        let isMore = try entries(
          of: loaded,
          isLast: next == nil,
          after: &reached,
          through: end,
          unread,
          take,
        )
        if isMore == false { return }
        if isMore == true { break }
        unread = reached + 1
      }
    }
  }

  private func load(
    _ segment: LogSegment,
    isWritten: Bool,
    after reached: UInt64,
  ) throws -> LoadedSegment {
    do throws(JournalError) {
      return try LoadedSegment(
        segment,
        in: directory,
        isWritten: isWritten,
        onSearch: onSearch,
      )
    } catch {
      guard error.code == .corrupt else { throw error }
      throw Damage(
        revision: max(reached + 1, segment.first),
        claimed: nil,
        path: segment.path(in: directory),
      )
    }
  }

  /// - Returns: Whether more is wanted; nil where the segment is to be read again.
  private func entries(
    of loaded: LoadedSegment,
    isLast: Bool,
    after reached: inout UInt64,
    through end: UInt64,
    _ unread: UInt64?,
    _ take: (Found) throws -> Bool,
  ) throws -> Bool? {
    var cursor = LogCursor(loaded)
    // Only a copy says where it ends; of others nothing is searched for behind their end.
    let isOpen = isLast && loaded.header.file == LogHeader.copied
    while true {
      if reached >= end, !isOpen { return true }
      switch try cursor.next(after: reached) {
      case .entry(let head) where head.kind != .records || head.first > end: return true
      case .entry(let head):
        let found = Found(head: head, records: cursor.records(of: head), header: loaded.header)
        reached = head.last
        guard try take(found) else { return false }
      case .damage where isWritten && isLast && unread != reached + 1: return nil
      // Nobody was told of what is behind the end.
      case .damage where reached >= end: return true
      case .damage(let claimed, _): throw Damage(revision: reached + 1, claimed: claimed)
      // A copy says where it ends, and of other segments the next one does.
      case .end(let isTorn)
      where isLast ? isOpen : isTorn && reached < end:
        throw Damage(revision: max(reached + 1, loaded.header.first), claimed: nil)
      case .end: return true
      }
    }
  }
}
