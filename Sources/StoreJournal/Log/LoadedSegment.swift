/// A segment that was read, as it was at that moment.
struct LoadedSegment {
  let header: LogHeader
  let bytes: [UInt8]

  /// Reads a segment.
  ///
  /// - Parameters:
  ///   - segment: The segment.
  ///   - directory: Where the journal is.
  ///   - isWritten: Whether somebody writes it: then what was read is made durable first, for
  ///     nobody may learn of what a crash takes back.
  /// - Throws: ``JournalError``, whose code is `missing` where it is not there any more.
  init(
    _ segment: LogSegment,
    in directory: String,
    isWritten: Bool = false,
  ) throws(JournalError) {
    let path = segment.path(in: directory)
    guard let bytes = DurableFile.read(path) else {
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

  /// What it ends with.
  ///
  /// - Parameter limit: Entries of later revisions are none.
  /// - Returns: What is there.
  func end(through limit: UInt64 = .max) -> LogCursor.End {
    var cursor = LogCursor(self)
    return cursor.end(through: limit)
  }
}
