import StoreReplication

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
  /// The newest revision, the checksum of its entry, and the bytes of all records so far.
  private(set) var last: UInt64
  private(set) var sum: UInt64
  private(set) var total: UInt64
  /// What was appended last.
  private var previous: JournalBatch?
  /// When the newest record was made.
  private var wallMilliseconds: UInt64

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
  /// - Throws: ``JournalError``, whose code is `busy` where another daemon has begun as well.
  init(
    _ header: LogHeader,
    behind segments: [LogSegment],
    in directory: String,
    capacity: Int,
  ) throws(JournalError) {
    self.directory = directory
    self.capacity = capacity
    self.segments = segments
    self.header = header
    durability = header.durability
    (last, sum, total) = (header.first - 1, header.before, header.total)
    wallMilliseconds = header.wallMilliseconds
    file = try Self.filled(in: directory, capacity, durability)
    place = 0
    try begin()
  }

  /// A file with all its room; one that grows, where there is none.
  private static func filled(
    in directory: String,
    _ capacity: Int,
    _ durability: Durability,
  ) throws(JournalError) -> LogFile {
    var prepared = try Prepared(in: directory, capacity, durability)
    do throws(JournalError) {
      while !prepared.isReady { try prepared.fillPiece() }
    } catch {
      guard error.code.isForNow else { throw error }
      return try LogFile(in: directory, durability)
    }
    return prepared.file
  }

  /// A file for a segment, with room where that was prepared.
  private func file(_ prepared: Prepared?) throws(JournalError) -> LogFile {
    if let prepared { return prepared.file }
    return try LogFile(in: directory, durability)
  }

  /// Gives a new segment its beginning, and its name.
  private mutating func begin() throws(JournalError) {
    header.file = try file.identity()
    let bytes = header.encode()
    try file.write(bytes, at: 0)
    try file.sync()
    let segment = LogSegment(first: header.first, term: header.term)
    try file.name(segment.path(in: directory))
    // One that has nothing in it is none any more.
    if segments.last?.first == segment.first { segments.removeLast() }
    segments.append(segment)
    headers[segment] = header
    current = Current(file: file, path: segment.path(in: directory))
    place = bytes.count
  }

  // MARK: Writing

  /// Appends a batch, and syncs it where that is promised; one that is there already stays, once.
  ///
  /// - Parameters:
  ///   - batch: The batch.
  ///   - prepared: Takes what was prepared for another segment.
  /// - Returns: Whether another segment was begun.
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
    let isFull = place + head.size > capacity && place > header.bytes
    if isFull {
      try startSegment(prepared()) { $0.wallMilliseconds = time }
    }
    try write(LogEntry.encode(&head, batch.records, key: header.key))
    (last, sum, total) = (head.last, head.sum, total + UInt64(head.count))
    (previous, wallMilliseconds) = (batch, time)
    return isFull
  }

  private mutating func write(_ bytes: [UInt8]) throws(JournalError) {
    try file.write(bytes, at: place)
    if durability == .full { try file.sync() }
    try checkSeal()
    place += bytes.count
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
    do throws(JournalError) {
      file = try self.file(prepared)
      try begin()
      Failpoint.reach(.duringRotation)
      // Who has sealed the one before may not have seen this one.
      try earlier.checkSeal()
    } catch {
      self = earlier
      // Who has taken over has removed what was prepared.
      try checkSeal()
      throw error
    }
  }

  /// Syncs what was appended.
  func sync() throws(JournalError) { try file.sync() }

  /// Says behind all of it that the daemon has ended.
  mutating func close() throws(JournalError) {
    let bytes = LogEntry.end(behind: last, sum, key: header.key)
    try file.write(bytes, at: place)
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
  /// - Returns: Whether one has gone.
  /// - Throws: ``JournalError``.
  mutating func trim(
    through needed: UInt64,
    _ retention: Retention,
    at wallMilliseconds: UInt64,
  ) throws(JournalError) -> Bool {
    // All of a segment that another one follows from a revision is before that revision.
    let following = segments.dropFirst().prefix { $0.first <= needed + 1 }
    guard let second = following.first, let newest = following.last else { return false }
    let kept = UInt64(clamping: retention.bytes)
    let total = try header(of: newest).total
    let before = try header(of: second).total
    if total < kept || before > total - kept {
      guard retention.age != nil else { return false }
      // A clock that is set ahead makes nothing older than it is beside the newest record.
      let start = retention.start(at: min(wallMilliseconds, self.wallMilliseconds))
      // Clocks are set: a segment is as old as the oldest of those behind it.
      var time = UInt64.max
      for segment in following {
        time = min(time, try header(of: segment).wallMilliseconds)
      }
      guard time < start else { return false }
    }
    let oldest = segments.removeFirst()
    headers[oldest] = nil
    // Those that another one has taken the place of, which has the greatest term, go before it.
    for segment in try LogSegment.every(in: directory) where segment.first <= oldest.first {
      try DurableFile.remove(segment.path(in: directory))
    }
    return true
  }

  private mutating func header(of segment: LogSegment) throws(JournalError) -> LogHeader {
    if let known = headers[segment] { return known }
    let header = try LogHeader(of: segment, in: directory)
    headers[segment] = header
    return header
  }
}
