/// Reads the entries of a log across all of its segments.
struct LogReading {
  /// An entry with its segment's header.
  struct Found {
    let head: LogEntry.Head
    let records: [UInt8]
    let header: LogHeader
  }

  /// An entry or a segment of a log that is damaged.
  struct Damage: Error {
    /// The first unreadable revision.
    let revision: UInt64
    /// The head of the damaged entry, if it is readable.
    let claimed: LogEntry.Head?
    /// The path of the unreadable segment; nil for a damaged entry.
    var path: String?

    var description: String {
      if let path { return "the header of \(path) cannot be read" }
      guard let claimed, claimed.first == revision else {
        return "revision \(revision) cannot be read"
      }
      return "revisions \(claimed.first) to \(claimed.last) do not have the checksum they were "
        + "kept with"
    }
  }

  let directory: String
  /// Whether a daemon may be writing the log.
  var isWritten = false
  /// Watches searches; nil to search without a watcher.
  var onSearch: LogSearch?

  /// Passes entries that end after a revision to a closure, until it returns false.
  ///
  /// The caller compares revisions and checksums: this function does not verify that an entry
  /// follows the one before.
  ///
  /// - Parameters:
  ///   - revision: The revision.
  ///   - segments: The log's segments.
  ///   - limit: Entries that begin later are omitted.
  ///   - take: Receives an entry, and returns whether to continue.
  /// - Throws: ``JournalError``, ``Damage``, or an error of `take`.
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
      // An entry that was read during its write is read once more. It is whole then, because a
      // whole one followed it: bytes that are unreadable twice are damaged.
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

  /// - Returns: Whether to continue with the next segment; nil to read this segment again.
  private func entries(
    of loaded: LoadedSegment,
    isLast: Bool,
    after reached: inout UInt64,
    through end: UInt64,
    _ unread: UInt64?,
    _ take: (Found) throws -> Bool,
  ) throws -> Bool? {
    var cursor = LogCursor(loaded)
    // Only a copy has an end marker; other segments are not searched beyond their end.
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
      // Entries after the end were not acknowledged.
      case .damage where reached >= end: return true
      case .damage(let claimed, _): throw Damage(revision: reached + 1, claimed: claimed)
      // A copy ends with a marker, and another segment ends at the start of the next one.
      case .end(let isTorn)
      where isLast ? isOpen : isTorn && reached < end:
        throw Damage(revision: max(reached + 1, loaded.header.first), claimed: nil)
      case .end: return true
      }
    }
  }
}
