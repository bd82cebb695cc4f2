import StoreHistory
import StoreProtocol

/// Writes a log: appends entries to a segment, and begins another one where that is full.
///
/// A segment's room is filled with zeros beforehand, so that a sync has its bytes to write and
/// nothing else. Where that could not be done it grows, which takes longer.
///
/// Who takes over a history first seals the segment that is written, then looks where it ends. Who
/// writes looks for a seal behind each sync, before anybody is told. So of an entry that was told
/// whoever takes over knows, whatever the order.
struct LogWriter {
  /// What stays the same in each segment.
  private let directory: String
  private let capacity: Int
  private let durability: Durability

  private var file: LogFile
  /// The same with its name, for who looks whether it is there.
  private(set) var current: Current?
  private(set) var header: LogHeader
  /// The newest segment is the last one.
  private(set) var segments: [LogSegment]
  /// What is known of older ones, to let go of them.
  private var headers: [LogSegment: LogHeader] = [:]
  /// Where the next entry goes.
  private var place: Int
  /// Where the longest attempt to write the next entry ends.
  private var attempted = 0
  /// The newest revision, the checksum of its entry, and the bytes of all records so far.
  private(set) var last: UInt64
  private(set) var sum: UInt64
  private(set) var total: UInt64
  /// What was appended last.
  private var previous: JournalBatch?
  /// When the newest record was made.
  private var wallMilliseconds: UInt64
  /// When the newest record was made that was found, and since when this daemon writes.
  private let foundMilliseconds: UInt64
  private let began = ContinuousClock.now
  /// How many bytes of the segment were filled beforehand.
  private var room: Int
  /// Whether room for the next segment was asked for.
  private var hasAskedForRoom = false
  private var isFirst = true

  /// The segment that is written.
  struct Current: Sendable {
    let file: LogFile
    let path: String
  }

  /// A file that gets room for a segment, and goes where it is not used.
  struct Prepared {
    fileprivate let file: LogFile
    private let capacity: Int
    private var filled = 0

    /// Begins with one.
    init(
      in directory: String,
      _ capacity: Int,
      _ durability: Durability,
    ) throws(JournalError) {
      self.capacity = capacity
      file = try LogFile(in: directory, durability)
    }

    /// Whether there is all the room.
    var isReady: Bool { filled >= capacity }

    /// Whether it is to be synced now: when it is whole, and before where it is in the page cache,
    /// since others' syncs wait for what is on its way from there.
    var needsSync: Bool { isReady || file.usesCache }

    /// Fills a piece.
    mutating func fillPiece() throws(JournalError) {
      let end = min(filled + DurableFile.bytesPerPiece, capacity)
      try file.fill(filled..<end)
      filled = end
    }

    func sync() throws(JournalError) { try file.sync() }
  }

  /// Begins a segment behind what others have written.
  ///
  /// - Parameters:
  ///   - header: What the segment says, with the entry that it follows.
  ///   - segments: Those that there are.
  ///   - directory: Where the journal is.
  ///   - capacity: How many bytes a segment has, unless a single entry needs more.
  ///   - foundMilliseconds: When the newest record was made that there is; nil where there is none.
  /// - Throws: ``JournalError``. Nothing has its name before ``publish()``.
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
  /// As long as it has no more, nothing is done for the next segment.
  private static let quietBytes = 64 << 10

  /// A file with some room, and how much that is; one that grows, where there is none.
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

  /// A file for a segment, with room where that was prepared.
  private func file(_ prepared: Prepared?) throws(JournalError) -> LogFile {
    if let prepared { return prepared.file }
    return try LogFile(in: directory, durability)
  }

  /// Writes the beginning of a new segment, which has no name yet.
  private mutating func prepareFile() throws(JournalError) {
    header.file = try file.identity()
    let bytes = header.encode()
    try file.write(bytes, at: 0)
    try file.sync()
    (place, attempted) = (bytes.count, 0)
  }

  /// Leaves the new segment without a name where it is, if this daemon ends before it has one.
  func keepDraft() { file.keepDraft(header.bytes) }

  /// Gives a new segment its name.
  ///
  /// - Throws: ``JournalError``, whose code is `busy` where another daemon has begun as well.
  mutating func publish() throws(JournalError) {
    let segment = LogSegment(first: header.first, term: header.term)
    try file.name(segment.path(in: directory))
    // One that has nothing in it is none any more.
    if segments.last?.first == segment.first { segments.removeLast() }
    segments.append(segment)
    headers[segment] = header
    current = Current(file: file, path: segment.path(in: directory))
  }

  // MARK: Writing

  /// Appends a batch, and syncs it where that is promised; one that is there already stays, once.
  ///
  /// - Parameters:
  ///   - batch: The batch.
  ///   - prepared: Takes what was prepared for another segment.
  /// - Returns: Whether room should be made for the next segment.
  /// - Throws: ``JournalError``. Where it is `full`, `busy` or `fenced` nobody may be told of the
  ///   batch; else it is not known what was kept, and nothing further may be appended.
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
      // Where the room ends before the segment is full, it goes on as soon as there is more.
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

  /// Writes the next bytes, over all that an attempt has left that found no room.
  private mutating func put(_ bytes: [UInt8]) throws(JournalError) {
    let end = place + bytes.count
    let rest = attempted - end
    attempted = max(attempted, end)
    try file.write(rest > 0 ? bytes + Array(repeating: 0, count: rest) : bytes, at: place)
    attempted = end
  }

  /// Begins another segment, which says something else.
  ///
  /// - Parameters:
  ///   - prepared: A file with room.
  ///   - change: Changes what it says.
  /// - Throws: ``JournalError``; then this one is the one that is written, as before.
  mutating func startSegment(
    _ prepared: Prepared?,
    _ change: (inout LogHeader) -> Void,
  ) throws(JournalError) {
    let earlier = self
    // What is promised less of is on the disk before anything comes behind it.
    if durability != .full { try file.sync() }
    // Two that begin with one revision are told apart by their terms.
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
      // Who has taken over has removed what was prepared.
      try checkSeal()
      throw error
    }
    Failpoint.reach(.duringRotation)
    do throws(JournalError) {
      // Who has sealed the one before may not have seen this one.
      try earlier.checkSeal()
    } catch  where error.code == .fenced {
      self = earlier
      throw error
    } catch {
      // The segment has its name: nothing may be written before it any more.
      throw JournalError(.system, error.message)
    }
  }

  /// Syncs what was appended.
  func sync() throws(JournalError) { try file.sync() }

  /// Says behind all of it that the daemon has ended.
  mutating func close() throws(JournalError) {
    let bytes = LogEntry.end(behind: last, sum, key: header.key)
    try put(bytes)
    try file.sync()
    try checkSeal()
    try file.truncate(to: place + bytes.count)
    try file.sync()
  }

  /// Throws where another daemon has taken over.
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

  /// Lets go of the oldest segment, if neither a restart nor the retention needs it.
  ///
  /// - Parameters:
  ///   - needed: Records up to this revision no restart needs.
  ///   - retention: What is kept besides.
  ///   - wallMilliseconds: The time, in milliseconds since 1970.
  ///   - elapsed: For how long this daemon has been writing; nil to measure it.
  /// - Returns: Whether one has gone.
  /// - Throws: ``JournalError``.
  mutating func trim(
    through needed: UInt64,
    _ retention: Retention,
    at wallMilliseconds: UInt64,
    after elapsed: Duration?,
  ) throws(JournalError) -> Bool {
    // All of a segment that another one follows from a revision is before that revision.
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
      // A clock that is set ahead makes nothing older than it is beside the newest record, and
      // nothing that was found older than this daemon has been writing.
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
      // Clocks are set: a segment is as old as the oldest of those behind it.
      var time = UInt64.max
      for place in following.startIndex..<segments.endIndex {
        // Where none of them can be read, the next one tells when they ended.
        if place >= following.endIndex, time < .max { break }
        time = min(time, try header(of: segments[place])?.wallMilliseconds ?? .max)
      }
      guard time < start else { return false }
    }
    let oldest = segments.removeFirst()
    headers[oldest] = nil
    // Those that another one has taken the place of, which has the greatest term, go before it.
    for segment in try LogSegment.every(in: directory) where segment.first <= oldest.first {
      // Without its key nobody can read what was cut off from it.
      let torn = segment.tornPath(in: directory)
      if !DurableFile.isOtherThanFile(torn) { try DurableFile.remove(torn) }
      try DurableFile.remove(segment.path(in: directory))
    }
    return true
  }

  /// The bytes of all records before a segment; an estimate by its size where it cannot be read.
  private mutating func recordBytes(before place: Int) throws(JournalError) -> UInt64 {
    if let header = try header(of: segments[place]) { return header.total }
    // The newest segment is ours, and known.
    let next = try recordBytes(before: place + 1)
    let size = try? DurableFile.size(of: segments[place].path(in: directory))
    return next - min(next, UInt64(size ?? 0))
  }

  /// What a segment begins with; nil where that is damaged, which must not keep it from going.
  ///
  /// - Throws: ``JournalError``, where it may be read at another time.
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
