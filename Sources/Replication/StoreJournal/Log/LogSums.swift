/// Looks up the checksums of entries in a log, and reads a segment once for consecutive lookups.
///
/// For one pass over a log: later writes are not noticed.
struct LogSums {
  private let directory: String
  /// The log's segments, after the first lookup.
  private var segments: [LogSegment]?
  /// The segment of the last lookup; its contents are nil if they cannot be read.
  private var loaded: (segment: LogSegment, contents: LoadedSegment?)?

  init(in directory: String) { self.directory = directory }

  /// Returns the checksum of the entry that ends at a revision.
  ///
  /// - Returns: Nil if that entry is not kept, and no segment begins directly after it.
  /// - Throws: ``JournalError`` if it cannot be read now.
  mutating func sum(at revision: UInt64) throws(JournalError) -> UInt64? {
    let all: [LogSegment]
    if let segments { all = segments } else { all = try LogSegment.all(in: directory) }
    segments = all
    guard let segment = all.last(where: { $0.first - 1 <= revision }),
      let contents = try contents(of: segment)
    else { return nil }
    if contents.header.first - 1 == revision { return contents.header.before }
    var cursor = LogCursor(contents)
    guard case .entry(let head) = try cursor.next(after: revision - 1), head.last == revision else {
      return nil
    }
    return head.sum
  }

  private mutating func contents(of segment: LogSegment) throws(JournalError) -> LoadedSegment? {
    if let loaded, loaded.segment == segment { return loaded.contents }
    var contents: LoadedSegment?
    do throws(JournalError) {
      contents = try LoadedSegment(segment, in: directory)
    } catch {
      // A damaged or removed segment has no known checksums.
      guard error.code == .corrupt || error.code == .missing else { throw error }
    }
    loaded = (segment, contents)
    return contents
  }
}
