import Foundation
package import StoreHistory
package import StoreState
import Synchronization

/// A root's history in a directory: a log in segments, and a file for each snapshot.
///
/// Every call blocks. Calls may be made on any thread, but one at a time, except where documented.
/// The log has an entry for each batch of records, with its checksum and that of the entry before.
/// Each segment and each snapshot contains the schema of the build that wrote it.
///
/// Opening changes no existing file. ``begin()``, called after everything was read, begins a new
/// segment, and fences any other writer.
package final class JournalDirectory: Sendable {
  /// The format version on disk: of segments, records and snapshots.
  ///
  /// It changes with each change that an earlier release could not read, or would misread.
  package static let format = 4
  /// The oldest readable format of segments and snapshots; only the newest is written.
  static let oldest = 3
  /// The oldest readable format of exports.
  ///
  /// In format 2 the records were the same, in an SQLite file.
  static let oldestExport = 2
  static let snapshotsKept = 2
  /// The number of torn ends that are kept beside the log.
  static let tornKept = 2
  /// The number of bytes of a segment, unless a single entry needs more.
  package static let segmentBytes = 4 << 20
  /// The size of the reserve, which is released when the disk is full.
  static let reserveBytes = 8 << 20

  /// The names, besides snapshots, that exist as long as there is a journal.
  package static let names = [LogSegment.folderName]

  package let directory: String
  let request: Request
  /// The findings when the journal was opened.
  package let opening: Opening
  /// The log's writer; nil before ``begin()``.
  ///
  /// Guarded, since another thread writes snapshots.
  let writer = Mutex<LogWriter?>(nil)
  /// The segment that is being written; readable during a write.
  private let current = Mutex<LogWriter.Current?>(nil)
  /// The room for the next segment, once preparation has begun.
  private let prepared = Mutex<LogWriter.Prepared?>(nil)
  /// The revision of the snapshot from which the history was read; nil before reading.
  let readFrom = Mutex<UInt64?>(nil)
  /// The snapshots in the directory.
  let snapshots: KeptSnapshots

  /// The parameters of opening.
  struct Request {
    var directory: String
    var root: String
    var schema: SchemaDocument
    var durability: Durability
    /// The epoch of a new history.
    var epoch: UInt64
    var segmentBytes: Int
    /// Whether to refuse a directory without a history.
    var mustExist: Bool
    /// Watches searches in the log; nil to search without a watcher.
    var onSearch: LogSearch?
  }

  /// The properties of a history that are known before it is read.
  package struct Opening: Hashable, Sendable {
    /// A random number, redrawn whenever history does not continue.
    package var epoch: UInt64
    /// Whether the last daemon ended cleanly.
    package var isClean: Bool
    /// Whether the program's types are those of the last writer.
    package var isSameBuild: Bool
    /// The reason for which history may not continue at the end that a client saw; nil if it does.
    package var doubt: String?
    /// The number of bytes at the end of the log that are omitted, and kept beside it.
    package var tornBytes: Int { log.end?.tail?.place.count ?? 0 }
    /// The newest revision.
    package var newest: UInt64 = 0
    /// The number of the history, which all its epochs share.
    package var history: UInt64
    /// The term of the last daemon; 0 if there was no daemon.
    var term: UInt64 = 0
    /// The log, as it was found.
    var log = Log()
  }

  /// A log, as it was found when it was opened.
  struct Log: Hashable, Sendable {
    var segments: [LogSegment] = []
    /// The newest revision of its records, the checksum that the next entry names, and the bytes of
    /// all records.
    var last: UInt64 = 0
    var sum: UInt64 = 0
    /// The history's number in the newest segment.
    var history: UInt64 = 0
    var total: UInt64 = 0
    /// The time of the newest record; nil if there is no record.
    var wallMilliseconds: UInt64?
    /// The end of the last segment, and the end of the log in that segment.
    var found: LogCursor.End?
    var end: LogCursor.End?
  }

  /// Opens a history, or prepares a new one.
  ///
  /// - Parameters:
  ///   - directory: An existing directory that only the caller uses.
  ///   - root: The root's name.
  ///   - schema: The schema of the root's durable form in this program.
  ///   - durability: The promise for new entries.
  ///   - epoch: A random number, for a new history.
  ///   - segmentBytes: The number of bytes of a segment.
  ///   - mustExist: Whether to refuse a directory without a history.
  ///   - onSearch: Watches searches after torn entries, until ``begin(at:initial:)`` has returned.
  /// - Throws: ``JournalError``.
  package init(
    directory: String,
    root: String,
    schema: SchemaDocument,
    durability: Durability,
    epoch: UInt64,
    segmentBytes: Int = segmentBytes,
    mustExist: Bool = false,
    onSearch: LogSearch? = nil,
  ) throws(JournalError) {
    self.directory = directory
    try Self.checkFileLimit(atLeast: segmentBytes)
    request = Request(
      directory: directory,
      root: root,
      schema: schema,
      durability: durability,
      epoch: epoch,
      segmentBytes: segmentBytes,
      mustExist: mustExist,
      onSearch: onSearch,
    )
    try Self.checkPresence(in: directory)
    opening = try Self.open(request)
    snapshots = KeptSnapshots(in: directory, of: opening.log.history)
    for folder in [LogSegment.folder(in: directory), SnapshotFile.folder(in: directory)] {
      try DurableFile.makeDirectory(folder)
    }
    try DurableFile.syncDirectory(directory)
    if opening.log.segments.isEmpty { try DurableFile.syncWay(to: directory) }
  }

  // MARK: Writing

  /// Makes this program the writer, and removes files that an earlier one left.
  ///
  /// Call it after everything was read, and before any write. It fences the earlier writer. If a
  /// daemon has written since the directory was opened, it changes no file.
  ///
  /// - Parameters:
  ///   - revision: The revision of the state that was read, or of the state with which a new
  ///     history begins: a store may have been used before. Nil if the state was not read.
  ///   - initial: The checksum of that state's bytes, if it is the root's initial one; else 0.
  /// - Throws: ``JournalError``.
  package func begin(at revision: UInt64? = nil, initial: UInt64 = 0) throws(JournalError) {
    if let revision, opening.newest > 0, revision != opening.newest {
      // Another machine's daemon may have written between the two looks.
      try checkUnchanged()
      throw JournalError(
        in: directory,
        "its records lead to revision \(revision), and its entries say that they lead to "
          + "\(opening.newest)",
      )
    }
    let begun = try withRoom { () throws(JournalError) in
      try takeOver(at: revision ?? 0, initial: initial)
    }
    writer.withLock { $0 = begun }
    current.withLock { $0 = begun.current }
    try clearUp()
    _ = DurableFile.reserve(Self.reserveBytes, at: reservePath)
  }

  /// Calls a function with the writer.
  func withWriter<Result>(
    _ body: (inout LogWriter) throws(JournalError) -> Result
  ) throws(JournalError) -> Result {
    try writer.withLock { (writer) throws(JournalError) in
      guard var found = writer else {
        preconditionFailure("The journal in \(directory) is written before it was begun")
      }
      // Avoids a copy of the writer's contents.
      writer = nil
      defer {
        current.withLock { $0 = found.current }
        writer = found
      }
      return try body(&found)
    }
  }

  /// Appends a batch.
  ///
  /// Repeating the last batch has no effect.
  ///
  /// - Returns: Whether to prepare room for the next segment.
  /// - Throws: ``JournalError``. After `full`, `busy` or `fenced` the batch must not be
  ///   acknowledged; after another code the contents of the disk are unknown, and appending
  ///   must end.
  @discardableResult
  package func append(_ batch: JournalBatch) throws(JournalError) -> Bool {
    try withWriter { (writer) throws(JournalError) in
      try writer.append(batch) { takePrepared() }
    }
  }

  private func takePrepared() -> LogWriter.Prepared? {
    prepared.withLock { prepared in
      guard prepared?.isReady == true else { return nil }
      defer { prepared = nil }
      return prepared
    }
  }

  /// Fills a piece of the next segment's room; may run concurrently with other calls.
  ///
  /// - Returns: Whether more room is to be filled.
  package func prepare() -> Bool {
    let known = prepared.withLock { $0 }
    if known?.isReady == true { return false }
    let next: LogWriter.Prepared
    do throws(JournalError) {
      var filled =
        if let known { known } else {
          try LogWriter.Prepared(in: directory, request.segmentBytes, request.durability)
        }
      try filled.fillPiece()
      if filled.needsSync { try filled.sync() }
      next = filled
    } catch {
      // The file is still empty, so every error is harmless. The next segment tries again; until
      // then this one grows.
      prepared.withLock { $0 = nil }
      return false
    }
    prepared.withLock { $0 = next }
    if next.isReady, !FileManager.default.fileExists(atPath: reservePath) {
      // There is room again, so the released reserve is recreated.
      _ = DurableFile.reserve(Self.reserveBytes, at: reservePath)
    }
    return !next.isReady
  }

  /// Whether appended entries are synced by separate calls.
  var isSyncedLater: Bool { request.durability == .batched }

  /// Syncs appended entries.
  func sync() throws(JournalError) {
    try withWriter { (writer) throws(JournalError) in try writer.sync() }
  }

  /// Begins another epoch, and syncs that under every durability.
  package func renew(epoch: UInt64) throws(JournalError) {
    try withWriter { (writer) throws(JournalError) in
      try writer.checkSeal()
      try writer.startSegment(takePrepared()) { $0.epoch = epoch }
    }
  }

  /// Ends the log cleanly: every acknowledged entry is kept.
  package func close() throws(JournalError) {
    guard writer.withLock({ $0 != nil }) else { return }
    try withWriter { (writer) throws(JournalError) in
      try writer.checkSeal()
      try writer.close()
    }
    prepared.withLock { $0 = nil }
    current.withLock { $0 = nil }
    writer.withLock { $0 = nil }
  }

  /// Returns the checksum of the entry that ends at a revision, if that is the newest one.
  package func mark(at revision: UInt64) -> UInt64? {
    writer.withLock { $0.flatMap { $0.last == revision ? $0.sum : nil } }
  }

  /// Whether the file system keeps files in memory only, so that a crash of the machine loses all
  /// of them under every durability.
  package var isInMemory: Bool { FileSystemKind.isInMemory(directory) }

  /// The path of the written segment if it was removed; nil if it exists, or if that is
  /// unknown now.
  package var lostPath: String? {
    current.withLock { current in
      guard let current, (try? current.file.isNamed(current.path)) == false else { return nil }
      return current.path
    }
  }

  // MARK: Snapshots

  /// Writes a snapshot's file; may run concurrently with other calls.
  ///
  /// If no other revision has a readable snapshot, a second file follows.
  ///
  /// - Parameters:
  ///   - bytes: The snapshot.
  ///   - revision: Its revision.
  ///   - mark: The checksum of the entry that ends at the revision; nil if it is unknown.
  /// - Throws: ``JournalError``.
  package func write(
    _ bytes: [UInt8],
    of revision: UInt64,
    after mark: UInt64? = nil,
  ) throws(JournalError) {
    let schema = request.schema.encoded()
    let fields = SnapshotFile.Fields(schema: schema, history: opening.history, sum: mark)
    let trailer = SnapshotFile.trailer(of: bytes, revision, fields)
    // A file of another history is not replaced.
    let isTaken = try snapshots.isForeign(revision)
    let path = SnapshotFile.path(of: revision, in: directory, isCopy: isTaken)
    try DurableFile.write(bytes, trailer, to: path) {
      // The file is complete, and has no final name yet.
      Failpoint.reach(.duringSnapshot)
      return false
    }
    snapshots.note(own: revision, isCopy: isTaken)
    try checkSnapshot(before: revision)
    guard !isTaken, try snapshots.usable().count < Self.snapshotsKept else { return }
    try writeCopy(bytes, trailer, of: revision)
  }

  private func writeCopy(
    _ bytes: [UInt8],
    _ trailer: [UInt8],
    of revision: UInt64,
  ) throws(JournalError) {
    let path = SnapshotFile.path(of: revision, in: directory, isCopy: true)
    try DurableFile.write(bytes, trailer, to: path)
  }

  /// Recreates a missing or damaged file of the only readable snapshot.
  ///
  /// May run concurrently with other calls.
  package func completeSnapshots() throws(JournalError) {
    guard let (revision, contents) = try snapshots.newest() else { return }
    for other in try snapshots.usable(upTo: max(revision, 1) - 1) where other != revision {
      if try snapshots.read(other) != nil { return }
    }
    let trailer = SnapshotFile.trailer(of: contents.bytes, revision, contents.fields)
    for isCopy in [false, true] {
      let path = SnapshotFile.path(of: revision, in: directory, isCopy: isCopy)
      // The file is intact, or belongs to another history and is kept.
      if try SnapshotFile.read(path, revision) != nil { continue }
      try DurableFile.write(contents.bytes, trailer, to: path)
    }
    if contents.isCopy { _ = try snapshots.read(revision) }
  }

  /// The only revision with a snapshot, and the size of its file; nil if there are more or fewer.
  package var loneSnapshot: (revision: UInt64, bytes: Int)? {
    get throws(JournalError) {
      let revisions = try snapshots.usable()
      guard let revision = revisions.first, revisions.count == 1 else { return nil }
      let paths = [false, true].map {
        SnapshotFile.path(of: revision, in: directory, isCopy: $0)
      }
      var size = 0
      for path in paths { size = max(size, try DurableFile.size(of: path) ?? 0) }
      return (revision, size)
    }
  }

  /// The files of snapshots that belong to other histories, and are ignored.
  package var foreignSnapshots: [String] { snapshots.foreign }

  /// Finds the snapshots that are unneeded after a new one: unreadable ones, and those older than
  /// the one before the newest.
  ///
  /// - Returns: Their files.
  /// - Throws: ``JournalError``.
  package func unneededSnapshots() throws(JournalError) -> [String] {
    let files = try unneeded()
    try withWriter { (writer) throws(JournalError) in try writer.checkSeal() }
    return files
  }

  func unneeded() throws(JournalError) -> [String] {
    try snapshots.unneeded(keeping: Self.snapshotsKept)
  }

  /// Notes whether the newest snapshot before a revision is still readable.
  ///
  /// A restart falls back on it while only one newer snapshot exists.
  ///
  /// - Throws: ``JournalError`` if that is unknown now.
  func checkSnapshot(before revision: UInt64) throws(JournalError) {
    guard revision > 0 else { return }
    while let newest = try snapshots.readable(upTo: revision - 1).first {
      if try snapshots.read(newest) != nil { return }
    }
  }

  /// Removes unneeded files.
  ///
  /// A file that cannot be removed is removed by the next daemon.
  package static func remove(_ paths: [String]) {
    for path in paths { try? DurableFile.remove(path) }
  }

  // MARK: Old history

  /// The time, in milliseconds since 1970.
  static var wallMilliseconds: UInt64 { UInt64(max(0, Date().timeIntervalSince1970 * 1000)) }

  /// Removes a segment that neither a snapshot nor the retention needs.
  ///
  /// - Parameters:
  ///   - retention: The limits for records that no restart needs.
  ///   - wallMilliseconds: The time, in milliseconds since 1970.
  ///   - elapsed: The time since this daemon began to write; nil to measure it.
  /// - Returns: Whether there may be more to remove.
  /// - Throws: ``JournalError``.
  package func trim(
    _ retention: Retention,
    at wallMilliseconds: UInt64 = 0,
    after elapsed: Duration? = nil,
  ) throws(JournalError) -> Bool {
    try withWriter { (writer) throws(JournalError) in
      try writer.checkSeal()
      let revisions = try snapshots.usable()
      guard revisions.count >= Self.snapshotsKept else { return false }
      let needed = revisions[Self.snapshotsKept - 1]
      let isMore = try writer.trim(
        through: needed,
        retention,
        at: wallMilliseconds,
        after: elapsed,
      )
      if isMore { Failpoint.reach(.duringTruncation) }
      return isMore
    }
  }
}
