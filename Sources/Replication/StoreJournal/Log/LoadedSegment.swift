import StoreHistory

/// A segment that was read, as it was at that moment.
struct LoadedSegment {
  let header: LogHeader
  let bytes: [UInt8]
  /// Watches searches in it; nil where nobody does.
  let onSearch: LogSearch?

  /// No segment has more bytes: the limits of a batch allow far less.
  static let largest = 1 << 30

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
      throw JournalError(
        in: directory,
        "\(path) has \(size) bytes, and no segment has more than \(Self.largest)",
      )
    }
    let isShared = FileSystemKind.isShared(directory)
    guard let bytes = try DurableFile.read(path, isShared: isShared) else {
      throw LogHeader.missing(path)
    }
    header = try LogHeader(bytes, path: path)
    guard header.first == segment.first, header.term == segment.term else {
      throw JournalError(
        in: directory,
        "\(path) is another segment: that of revision \(header.first) and term \(header.term)",
      )
    }
    if isWritten { try DurableFile.syncWhatIsRead(path) }
    self.bytes = bytes
  }

  /// The term of the daemon that has taken over; nil for none.
  var seal: UInt64? {
    let term = LogHeader.number(bytes[LogHeader.sealRange])
    return term == 0 ? nil : term
  }

  /// When the newest record before an end was made; where there is none, when it was begun.
  func time(of end: LogCursor.End) -> UInt64 {
    let length = header.format == 3 ? LogEntry.Head.earlierBytes : LogEntry.Head.bytes
    guard let start = end.records.map({ $0 + length }), start < bytes.count else {
      return header.wallMilliseconds
    }
    return JournalRecord.time(ofStart: bytes[start...].prefix(32)) ?? header.wallMilliseconds
  }

  /// What it ends with, without judging that.
  ///
  /// - Returns: What is there.
  /// - Throws: ``JournalError``, where a search is given up.
  func end() throws(JournalError) -> LogCursor.End {
    var cursor = LogCursor(self)
    return try cursor.end()
  }

  /// Where the log ends, if this is its newest segment and no program writes it.
  struct Ending {
    /// What the segment ends with, without judging that.
    let found: LogCursor.End
    var end: LogCursor.End
    /// The newest snapshot, which is read first; nil for none.
    let snapshot: UInt64?
    let circumstance: LogCircumstance
    /// Whether every acknowledged entry is there, as far as the header's promise goes.
    let isPromised: Bool

    /// The revision at which the log ends; nil where no entry is left out.
    var limit: UInt64? { end.last < found.last ? end.last : nil }

    /// Whether acknowledged entries are missing after the end.
    var isDamaged: Bool { end.tail?.isDamage(circumstance) ?? false }
  }

  /// Finds where the log ends, as a daemon does that begins here.
  ///
  /// - Parameters:
  ///   - path: Where the segment is.
  ///   - snapshots: Those that are beside it: no entry before the newest one is looked at.
  /// - Returns: The end, and what it says of the entries before it.
  /// - Throws: ``JournalError``, where a search is given up.
  func ending(at path: String, beside snapshots: KeptSnapshots) throws(JournalError) -> Ending {
    let found = try end()
    let snapshot = try snapshots.newestRevision(readableBehind: found.last)
    return try ending(at: path, found, after: snapshot)
  }

  /// The same after a snapshot that is known, with an end that was found.
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
    // What is before an entry that says that the log ends was promised.
    guard circumstance == .unknown, header.file != LogHeader.copied, !found.isMarked,
      let cut = try gap(after: snapshot ?? 0, isPromised: isPromised)
    else { return ending }
    var cursor = LogCursor(self)
    ending.end = try cursor.end(through: cut)
    return ending
  }

  /// The revision before the first entry that is missing, where that is to be expected of a log
  /// whose entries were not promised, or of a file that was copied while it was written.
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
