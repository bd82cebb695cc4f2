import StoreHistory

/// A snapshot of a segment's bytes, as they were when it was read.
struct LoadedSegment {
  let header: LogHeader
  let bytes: [UInt8]
  /// Watches searches in the segment; nil to search without a watcher.
  let onSearch: LogSearch?

  /// The largest number of bytes that a segment may have: the limits of a batch allow far less.
  static let largest = 1 << 30

  /// Reads a segment.
  ///
  /// - Parameters:
  ///   - segment: The segment.
  ///   - directory: The journal's directory.
  ///   - isWritten: Whether a daemon may be writing it. The bytes are then synced first, because a
  ///     reader must not show an entry that a crash can lose.
  ///   - onSearch: Watches searches in it.
  /// - Throws: ``JournalError``, with the code `missing` if the file no longer exists.
  init(
    _ segment: LogSegment,
    in directory: String,
    isWritten: Bool = false,
    onSearch: LogSearch? = nil,
  ) throws(JournalError) {
    let path = segment.path(in: directory)
    if let size = try DurableFile.size(of: path), size > Self.largest {
      throw JournalError(
        in: directory,
        "\(path) has \(size) bytes, and no segment has more than \(Self.largest)",
      )
    }
    let isShared = FileSystemKind.isShared(directory)
    guard let bytes = try DurableFile.read(path, isShared: isShared) else {
      throw LogHeader.missing(path)
    }
    try self.init(segment, bytes, path: path, onSearch: onSearch)
    if isWritten { try DurableFile.syncWhatIsRead(path) }
  }

  /// Takes the bytes of a segment.
  init(
    _ segment: LogSegment,
    _ bytes: [UInt8],
    path: String,
    onSearch: LogSearch? = nil,
  ) throws(JournalError) {
    self.onSearch = onSearch
    header = try LogHeader(bytes, path: path)
    guard header.first == segment.first, header.term == segment.term else {
      throw JournalError(
        in: LogHeader.directory(of: path),
        "\(path) is another segment: that of revision \(header.first) and term \(header.term)",
      )
    }
    self.bytes = bytes
  }

  /// The term of the daemon that has taken over; nil if there is no seal.
  var seal: UInt64? {
    let term = LogHeader.number(bytes[LogHeader.sealRange])
    return term == 0 ? nil : term
  }

  /// Returns the time of the newest record before an end, or the segment's start time if it has
  /// no record.
  func time(of end: LogCursor.End) -> UInt64 {
    let length = header.format == 3 ? LogEntry.Head.earlierBytes : LogEntry.Head.bytes
    guard let start = end.records.map({ $0 + length }), start < bytes.count else {
      return header.wallMilliseconds
    }
    return JournalRecord.time(ofStart: bytes[start...].prefix(32)) ?? header.wallMilliseconds
  }

  /// Finds the segment's end, without judging the bytes after it.
  ///
  /// - Returns: The end.
  /// - Throws: ``JournalError`` if a search is cancelled.
  func end() throws(JournalError) -> LogCursor.End {
    var cursor = LogCursor(self)
    return try cursor.end()
  }

  /// The end of the log, if this is its newest segment and no program writes it.
  struct Ending {
    /// The end of the segment's last whole entry.
    let found: LogCursor.End
    var end: LogCursor.End
    /// The newest snapshot, which a restart reads first; nil if there is no snapshot.
    let snapshot: UInt64?
    let circumstance: LogCircumstance
    /// Whether every acknowledged entry is present, as far as the header's durability promises it.
    let isPromised: Bool

    /// The revision at which the log ends; nil if it ends with the last whole entry.
    var limit: UInt64? { end.last < found.last ? end.last : nil }

    /// Whether acknowledged entries are missing after the end.
    var isDamaged: Bool { end.tail?.isDamage(circumstance) ?? false }
  }

  /// Finds the end of the log, in the same way as a daemon that starts here.
  ///
  /// - Parameters:
  ///   - path: The segment's path.
  ///   - snapshots: The snapshots beside the log: entries before the newest one are not checked.
  /// - Returns: The end, and its properties.
  /// - Throws: ``JournalError`` if a search is cancelled.
  func ending(at path: String, beside snapshots: KeptSnapshots) throws(JournalError) -> Ending {
    let found = try end()
    let snapshot = try snapshots.newestRevision(readableBehind: found.last)
    return try ending(at: path, found, after: snapshot)
  }

  /// The same after a known snapshot, with an end that was found.
  func ending(
    at path: String,
    _ found: LogCursor.End,
    after snapshot: UInt64?,
  ) throws(JournalError) -> Ending {
    let circumstance = try LogCircumstance(header, at: path)
    let isPromised =
      found.isClosed || header.durability == .full || header.boot == JournalDirectory.boot()
    var ending = Ending(
      found: found,
      end: found,
      snapshot: snapshot,
      circumstance: circumstance,
      isPromised: isPromised,
    )
    // Entries before an end marker were promised.
    guard circumstance == .unknown, header.file != LogHeader.copied, !found.isMarked,
      let cut = try gap(after: snapshot ?? 0, isPromised: isPromised)
    else { return ending }
    var cursor = LogCursor(self)
    ending.end = try cursor.end(through: cut)
    return ending
  }

  /// Returns the revision before the first missing entry, if gaps are expected: in a log whose
  /// entries were not promised, or in a file that was copied while it was written.
  private func gap(
    after revision: UInt64,
    isPromised: Bool,
  ) throws(JournalError) -> UInt64? {
    if isPromised, header.format == 3 { return nil }
    var cursor = LogCursor(self)
    var reached = max(revision, header.first - 1)
    while true {
      switch try cursor.next(after: reached) {
      case .entry(let head) where head.kind == .records && head.first <= reached + 1:
        reached = head.last
      case .damage(_, let gap): return !isPromised || cursor.isStale(gap) ? reached : nil
      case .entry: return isPromised ? nil : reached
      case .end: return nil
      }
    }
  }
}
