import StoreHistory
import StoreProtocol

/// Writes a log: appends entries to a segment, and begins another segment when that is full.
///
/// A segment's room is filled with zeros beforehand, so that a sync writes only the entry's bytes.
/// Without prepared room the file grows, which takes longer.
///
/// A daemon that takes over a history seals the current segment, and then reads its end. The writer
/// checks for a seal after each sync, before it acknowledges the entry. In every order of these
/// steps the new daemon therefore finds each acknowledged entry.
struct LogWriter {
  /// The settings of every segment.
  private let directory: String
  private let capacity: Int
  private let durability: Durability

  private var file: LogFile
  /// The same file with its path, for checks that it still exists.
  private(set) var current: Current?
  private(set) var header: LogHeader
  /// Oldest first; the last one is being written.
  private(set) var segments: [LogSegment]
  /// The known headers of older segments, for their removal.
  private var headers: [LogSegment: LogHeader] = [:]
  /// The offset of the next entry.
  private var place: Int
  /// The end of the longest attempt to write the next entry.
  private var attempted = 0
  /// The newest revision, the checksum of its entry, and the bytes of all records so far.
  private(set) var last: UInt64
  private(set) var sum: UInt64
  private(set) var total: UInt64
  /// The last appended batch.
  private var previous: JournalBatch?
  /// The time of the newest record.
  private var wallMilliseconds: UInt64
  /// The time of the newest record that was found, and the start of this writer.
  private let foundMilliseconds: UInt64
  private let began = ContinuousClock.now
  /// The number of bytes of the segment that were filled beforehand.
  private var room: Int
  /// Whether the caller was asked to prepare the next segment.
  private var hasAskedForRoom = false
  private var isFirst = true

  /// The segment that is written.
  struct Current: Sendable {
    let file: LogFile
    let path: String
  }

  /// A file that receives room for a segment, and is removed if it is not used.
  struct Prepared {
    fileprivate let file: LogFile
    private let capacity: Int
    private var filled = 0

    /// Creates the file.
    init(
      in directory: String,
      _ capacity: Int,
      _ durability: Durability,
    ) throws(JournalError) {
      self.capacity = capacity
      file = try LogFile(in: directory, durability)
    }

    /// Whether all the room is filled.
    var isReady: Bool { filled >= capacity }

    /// Whether to sync now: when all is filled, and after each piece that uses the page cache,
    /// since the syncs of other files wait for pending cached writes.
    var needsSync: Bool { isReady || file.usesCache }

    /// Fills a piece.
    mutating func fillPiece() throws(JournalError) {
      let end = min(filled + DurableFile.bytesPerPiece, capacity)
      try file.fill(filled..<end)
      filled = end
    }

    func sync() throws(JournalError) { try file.sync() }
  }

  /// Creates a segment after the existing ones.
  ///
  /// - Parameters:
  ///   - header: The segment's header, with the entry that it follows.
  ///   - segments: The existing segments.
  ///   - directory: The journal's directory.
  ///   - capacity: The number of bytes of a segment, unless a single entry needs more.
  ///   - foundMilliseconds: The time of the newest existing record; nil if there is no record.
  /// - Throws: ``JournalError``. The segment has no name before ``publish()``.
  init(
    _ header: LogHeader,
    behind segments: [LogSegment],
    in directory: String,
    capacity: Int,
    foundMilliseconds: UInt64?,
  ) throws(JournalError) {
    self.directory = directory
    self.capacity = capacity
    self.segments = segments
    self.header = header
    durability = header.durability
    (last, sum, total) = (header.first - 1, header.before, header.total)
    wallMilliseconds = header.wallMilliseconds
    self.foundMilliseconds = foundMilliseconds ?? header.wallMilliseconds
    (file, room) = try Self.filled(in: directory, min(capacity, Self.firstRoom), durability)
    place = 0
    try prepareFile()
  }

  /// The room of a daemon's first segment: most daemons write little, and some end at once.
  private static let firstRoom = 1 << 20
  /// Up to this size no room for the next segment is prepared.
  private static let quietBytes = 64 << 10

  /// Creates a file with room, and returns its size; a growing file with 0 if the disk has no room.
  private static func filled(
    in directory: String,
    _ room: Int,
    _ durability: Durability,
  ) throws(JournalError) -> (LogFile, room: Int) {
    var prepared = try Prepared(in: directory, room, durability)
    do throws(JournalError) {
      while !prepared.isReady { try prepared.fillPiece() }
    } catch {
      guard error.code.isForNow else { throw error }
      return (try LogFile(in: directory, durability), 0)
    }
    return (prepared.file, room)
  }

  /// Returns a prepared file, or creates one without room.
  private func file(_ prepared: Prepared?) throws(JournalError) -> LogFile {
    if let prepared { return prepared.file }
    return try LogFile(in: directory, durability)
  }

  /// Writes the header of a new segment, which has no name yet.
  private mutating func prepareFile() throws(JournalError) {
    header.file = try file.identity()
    let bytes = header.encode()
    try file.write(bytes, at: 0)
    try file.sync()
    (place, attempted) = (bytes.count, 0)
  }

  /// Keeps the draft of the new segment if this daemon ends before the segment has a name.
  func keepDraft() { file.keepDraft(header.bytes) }

  /// Gives a new segment its name.
  ///
  /// - Throws: ``JournalError``, with the code `busy` if another daemon has begun as well.
  mutating func publish() throws(JournalError) {
    let segment = LogSegment(first: header.first, term: header.term)
    try file.name(segment.path(in: directory))
    // The new segment replaces an empty one of the same revision.
    if segments.last?.first == segment.first { segments.removeLast() }
    segments.append(segment)
    headers[segment] = header
    current = Current(file: file, path: segment.path(in: directory))
  }

  // MARK: Writing

  /// Appends a batch, and syncs it if the durability requires that.
  ///
  /// Repeating the last batch has no effect.
  ///
  /// - Parameters:
  ///   - batch: The batch.
  ///   - prepared: Returns the room that was prepared for another segment.
  /// - Returns: Whether to prepare room for the next segment.
  /// - Throws: ``JournalError``. After `full`, `busy` or `fenced` the batch must not be
  ///   acknowledged; after another code the contents of the disk are unknown, and appending
  ///   must end.
  mutating func append(
    _ batch: JournalBatch,
    _ prepared: () -> Prepared?,
  ) throws(JournalError) -> Bool {
    if batch == previous { return false }
    guard batch.revisions.lowerBound == last + 1 else {
      throw JournalError(
        .system,
        "Revisions \(batch.revisions.lowerBound) to \(batch.revisions.upperBound) do not follow "
          + "\(last), the newest one in \(directory).",
      )
    }
    let time = JournalRecord.time(ofStart: batch.records.prefix(32)) ?? wallMilliseconds
    var head = LogEntry.Head(
      kind: .records,
      count: batch.records.count,
      first: batch.revisions.lowerBound,
      last: batch.revisions.upperBound,
      sessionNumbers: batch.sessionNumbers,
      before: sum,
    )
    if place > header.bytes, place + head.size > min(room, capacity) {
      let (isFull, next) = (place + head.size > capacity, prepared())
      // If the room ends before the segment is full, the writer continues in a prepared segment.
      if isFull || next != nil { try startSegment(next) { $0.wallMilliseconds = time } }
    }
    try write(LogEntry.encode(&head, batch.records, key: header.key))
    (last, sum, total) = (head.last, head.sum, total + UInt64(head.count))
    (previous, wallMilliseconds) = (batch, time)
    guard !hasAskedForRoom, !isFirst || place >= Self.quietBytes else { return false }
    hasAskedForRoom = true
    return true
  }

  private mutating func write(_ bytes: [UInt8]) throws(JournalError) {
    try put(bytes)
    if durability == .full { try file.sync() }
    try checkSeal()
    place += bytes.count
  }

  /// Writes the next bytes, and zeros over the remains of a failed longer attempt.
  private mutating func put(_ bytes: [UInt8]) throws(JournalError) {
    let end = place + bytes.count
    let rest = attempted - end
    attempted = max(attempted, end)
    try file.write(rest > 0 ? bytes + Array(repeating: 0, count: rest) : bytes, at: place)
    attempted = end
  }

  /// Begins another segment with a changed header.
  ///
  /// - Parameters:
  ///   - prepared: A file with room.
  ///   - change: Changes the header.
  /// - Throws: ``JournalError``; then the current segment stays the written one.
  mutating func startSegment(
    _ prepared: Prepared?,
    _ change: (inout LogHeader) -> Void,
  ) throws(JournalError) {
    let earlier = self
    // With a weaker durability, entries are synced before a segment follows them.
    if durability != .full { try file.sync() }
    // Terms distinguish two segments that begin with the same revision.
    if header.first == last + 1 { header.term += 1 }
    header.first = last + 1
    header.before = sum
    header.total = total
    header.wallMilliseconds = wallMilliseconds
    header.key = .random(in: 0 ... .max)
    change(&header)
    (room, hasAskedForRoom, isFirst) = (prepared == nil ? 0 : capacity, false, false)
    do throws(JournalError) {
      file = try self.file(prepared)
      try prepareFile()
      try publish()
    } catch {
      self = earlier
      // A daemon that has taken over has removed the prepared file.
      try checkSeal()
      throw error
    }
    Failpoint.reach(.duringRotation)
    do throws(JournalError) {
      // A daemon that has sealed the earlier segment may not have seen this one.
      try earlier.checkSeal()
    } catch  where error.code == .fenced {
      self = earlier
      throw error
    } catch {
      // The segment has its name, so the earlier one must not grow any more.
      throw JournalError(.system, error.message)
    }
  }

  /// Syncs the appended entries.
  func sync() throws(JournalError) { try file.sync() }

  /// Appends an entry which states that the daemon has ended.
  mutating func close() throws(JournalError) {
    let bytes = LogEntry.end(behind: last, sum, key: header.key)
    try put(bytes)
    try file.sync()
    try checkSeal()
    try file.truncate(to: place + bytes.count)
    try file.sync()
  }

  /// Throws if another daemon has taken over.
  func checkSeal() throws(JournalError) {
    let term = try file.seal()
    guard term == 0 else { throw fenced(by: term) }
  }

  private func fenced(by term: UInt64) -> JournalError {
    JournalError(
      .fenced,
      "Another daemon has taken over the journal in \(directory): term \(term) follows "
        + "\(header.term).",
    )
  }

  // MARK: Old history

  /// Removes the oldest segment, if neither a restart nor the retention needs it.
  ///
  /// - Parameters:
  ///   - needed: A restart needs only records after this revision.
  ///   - retention: The limits for other records.
  ///   - wallMilliseconds: The time, in milliseconds since 1970.
  ///   - elapsed: The time since this daemon began to write; nil to measure it.
  /// - Returns: Whether a segment was removed.
  /// - Throws: ``JournalError``.
  mutating func trim(
    through needed: UInt64,
    _ retention: Retention,
    at wallMilliseconds: UInt64,
    after elapsed: Duration?,
  ) throws(JournalError) -> Bool {
    // If another segment begins with a revision, all records before that segment are older.
    let following = segments.dropFirst().prefix { $0.first <= needed + 1 }
    guard !following.isEmpty else { return false }
    var kept = UInt64(clamping: retention.bytes)
    for path in try LogSegment.tornPaths(in: directory) {
      kept -= min(kept, UInt64(try DurableFile.size(of: path) ?? 0))
    }
    let total = try recordBytes(before: following.endIndex - 1)
    let before = try recordBytes(before: following.startIndex)
    if total < kept || before > total - kept {
      guard retention.age != nil else { return false }
      // A clock that was set ahead must not age records. A record's age is measured from the newest
      // record, and grows at most by the time that this daemon has been writing.
      let known = foundMilliseconds.addingReportingOverflow(
        UInt64(clamping: (elapsed ?? began.duration(to: .now)).wholeMilliseconds)
      )
      let start = retention.start(
        at: min(
          wallMilliseconds,
          self.wallMilliseconds,
          known.overflow ? .max : known.partialValue,
        )
      )
      // Clocks are adjusted: a segment is as old as the oldest one after it.
      var time = UInt64.max
      for place in following.startIndex..<segments.endIndex {
        // If all these headers are unreadable, the next segment bounds their age.
        if place >= following.endIndex, time < .max { break }
        time = min(time, try header(of: segments[place])?.wallMilliseconds ?? .max)
      }
      guard time < start else { return false }
    }
    let oldest = segments.removeFirst()
    headers[oldest] = nil
    // Replaced segments are removed before the one with the greatest term, which replaced them.
    for segment in try LogSegment.every(in: directory) where segment.first <= oldest.first {
      // Torn bytes are unreadable without the segment's key.
      let torn = segment.tornPath(in: directory)
      if !DurableFile.isOtherThanFile(torn) { try DurableFile.remove(torn) }
      try DurableFile.remove(segment.path(in: directory))
    }
    return true
  }

  /// Returns the bytes of all records before a segment; estimated from sizes if it is unreadable.
  private mutating func recordBytes(before place: Int) throws(JournalError) -> UInt64 {
    if let header = try header(of: segments[place]) { return header.total }
    // The newest segment's header is always known.
    let next = try recordBytes(before: place + 1)
    let size = try? DurableFile.size(of: segments[place].path(in: directory))
    return next - min(next, UInt64(size ?? 0))
  }

  /// Returns a segment's header; nil if it is damaged, which must not prevent its removal.
  ///
  /// - Throws: ``JournalError`` if a later attempt may succeed.
  private mutating func header(of segment: LogSegment) throws(JournalError) -> LogHeader? {
    if let known = headers[segment] { return known }
    do throws(JournalError) {
      let header = try LogHeader(of: segment, in: directory)
      headers[segment] = header
      return header
    } catch {
      guard error.code != .busy else { throw error }
      return nil
    }
  }
}
