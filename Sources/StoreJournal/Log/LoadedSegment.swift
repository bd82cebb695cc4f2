import StoreReplication

/// A segment that was read, as it was at that moment.
struct LoadedSegment {
  let header: LogHeader
  let bytes: [UInt8]
  /// Watches searches in it; nil where nobody does.
  let onSearch: LogSearch?

  /// No segment has more bytes: the limits of a batch allow far less.
  private static let largest = 1 << 30

  /// Reads a segment.
  ///
  /// - Parameters:
  ///   - segment: The segment.
  ///   - directory: Where the journal is.
  ///   - isWritten: Whether somebody writes it: then what was read is made durable first, for
  ///     nobody may learn of what a crash takes back.
  ///   - onSearch: Watches searches in it.
  /// - Throws: ``JournalError``, whose code is `missing` where it is not there any more.
  init(
    _ segment: LogSegment,
    in directory: String,
    isWritten: Bool = false,
    onSearch: LogSearch? = nil,
  ) throws(JournalError) {
    self.onSearch = onSearch
    let path = segment.path(in: directory)
    if let size = try DurableFile.size(of: path), size > Self.largest {
      throw JournalDirectory.corrupt(
        directory,
        "\(path) has \(size) bytes, and no segment has more than \(Self.largest)",
        before: segment.first,
      )
    }
    guard let bytes = try DurableFile.read(path) else {
      throw LogHeader.missing(path)
    }
    header = try LogHeader(bytes, path: path)
    guard header.first == segment.first, header.term == segment.term else {
      throw JournalDirectory.corrupt(
        directory,
        "\(path) is another segment: that of revision \(header.first) and term \(header.term)",
        before: segment.first,
      )
    }
    if isWritten { try DurableFile.syncWhatIsRead(path) }
    self.bytes = bytes
  }

  /// When the newest record before an end was made; where there is none, when it was begun.
  func time(of end: LogCursor.End) -> UInt64 {
    guard let start = end.records.map({ $0 + LogEntry.Head.bytes }) else {
      return header.wallMilliseconds
    }
    return JournalRecord.time(ofStart: bytes[start...].prefix(32)) ?? header.wallMilliseconds
  }

  /// What it ends with.
  ///
  /// - Parameter limit: Entries of later revisions are none.
  /// - Returns: What is there.
  /// - Throws: ``JournalError``, where a search is given up.
  func end(through limit: UInt64 = .max) throws(JournalError) -> LogCursor.End {
    var cursor = LogCursor(self)
    return try cursor.end(through: limit)
  }
}
