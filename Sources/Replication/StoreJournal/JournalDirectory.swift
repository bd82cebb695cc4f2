import Foundation
package import StoreHistory
package import StoreState
import Synchronization

/// A root's history in a directory: a log in segments, and a file for each snapshot.
///
/// Every call blocks, and may be made on any thread, by one caller at a time unless it says
/// otherwise. The log has an entry for each batch of records, with its checksum and that of the one
/// before. Each segment says which build wrote it, with its schema, and so does each snapshot.
///
/// Opening changes nothing that is there. ``begin()``, once all could be read, begins a segment of
/// its own, and no one else writes from then on.
package final class JournalDirectory: Sendable {
  /// The number of the form on disk: of segments, of records, and of snapshots.
  ///
  /// It changes with each of them that an earlier release could not read, or would read as
  /// something else.
  package static let format = 4
  /// The oldest form of segments and snapshots that is read; nothing is written in it.
  static let oldest = 3
  /// The oldest form of exports that is read.
  ///
  /// In format 2 records were the same, in an SQLite file.
  static let oldestExport = 2
  static let snapshotsKept = 2
  /// How many torn ends are kept beside the log.
  static let tornKept = 2
  /// How many bytes a segment has, unless a single entry needs more.
  package static let segmentBytes = 4 << 20
  /// What is given up where the disk is full.
  static let reserveBytes = 8 << 20

  /// What is there, besides snapshots, as long as there is a journal.
  package static let names = [LogSegment.folderName]

  package let directory: String
  let request: Request
  /// What the journal said when it was opened.
  package let opening: Opening
  /// What writes; nil before ``begin()``.
  ///
  /// Guarded, since snapshots are written by another thread than records.
  let writer = Mutex<LogWriter?>(nil)
  /// The segment that is written; looked at while a write is under way.
  private let current = Mutex<LogWriter.Current?>(nil)
  /// Where the next segment goes, once there is room for it.
  private let prepared = Mutex<LogWriter.Prepared?>(nil)
  /// The revision of the snapshot that the history was read from; nil before it was read.
  let readFrom = Mutex<UInt64?>(nil)
  /// The snapshots that there are.
  let snapshots: KeptSnapshots

  /// What is asked of a history before it is read.
  struct Request {
    var directory: String
    var root: String
    var schema: SchemaDocument
    var durability: Durability
    /// For a history that begins.
    var epoch: UInt64
    var segmentBytes: Int
    /// Whether there has to be a history.
    var mustExist: Bool
    /// Watches searches in its log; nil where nobody does.
    var onSearch: LogSearch?
  }

  /// What is known of a history before it is read.
  package struct Opening: Hashable, Sendable {
    /// A random number, new whenever history does not continue.
    package var epoch: UInt64
    /// Whether the daemon that wrote last has said that it ends.
    package var isClean: Bool
    /// Whether the program's types are those that wrote last.
    package var isSameBuild: Bool
    /// Why history may not go on where somebody saw it end; nil where it does.
    package var doubt: String?
    /// The number of bytes at the end of its log that are left out, and kept beside it.
    package var tornBytes: Int { log.end?.tail?.place.count ?? 0 }
    /// The newest revision that there is.
    package var newest: UInt64 = 0
    /// The number of the history, which all its epochs share.
    package var history: UInt64
    /// The term of the daemon that wrote last; 0 where none did.
    var term: UInt64 = 0
    /// The log, as it was found.
    var log = Log()
  }

  /// A log as it was found.
  struct Log: Hashable, Sendable {
    var segments: [LogSegment] = []
    /// The newest revision of its records, the checksum that the next entry names, and the bytes of
    /// all records.
    var last: UInt64 = 0
    var sum: UInt64 = 0
    /// The history's number, as the newest segment says it.
    var history: UInt64 = 0
    var total: UInt64 = 0
    /// When the newest record was made; nil where there is none.
    var wallMilliseconds: UInt64?
    /// What the last segment ends with, and where the log ends in it.
    var found: LogCursor.End?
    var end: LogCursor.End?
  }

  /// Opens a history, or says that there is none yet.
  ///
  /// - Parameters:
  ///   - directory: Where it is; the directory exists, and is the caller's alone.
  ///   - root: The root's name.
  ///   - schema: The schema of the root's durable form in this program.
  ///   - durability: What is promised.
  ///   - epoch: A random number, for a history that begins.
  ///   - segmentBytes: How many bytes a segment of its log has.
  ///   - mustExist: Whether it is refused where there is no history yet.
  ///   - onSearch: Watches searches behind what is torn, until ``begin(at:initial:)`` has returned.
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

  /// Notes that this program writes from now on, and clears up what an earlier one left.
  ///
  /// To be called when all that is to be read could be read, before anything is written. Whoever
  /// wrote before can write no more; where somebody has written since the directory was opened,
  /// nothing is changed.
  ///
  /// - Parameters:
  ///   - revision: The revision of the state that was read, or, where there is no history, of that
  ///     which it begins with: a store may have been used before. Nil where nobody has read it.
  ///   - initial: The checksum of that state's bytes, if it is the root's initial one; else 0.
  /// - Throws: ``JournalError``.
  package func begin(at revision: UInt64? = nil, initial: UInt64 = 0) throws(JournalError) {
    if let revision, opening.newest > 0, revision != opening.newest {
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
    clearUp()
    _ = DurableFile.reserve(Self.reserveBytes, at: reservePath)
  }

  /// Does something with what writes.
  func withWriter<Result>(
    _ body: (inout LogWriter) throws(JournalError) -> Result
  ) throws(JournalError) -> Result {
    try writer.withLock { (writer) throws(JournalError) in
      guard var found = writer else {
        preconditionFailure("The journal in \(directory) is written before it was begun")
      }
      // What it has is not copied.
      writer = nil
      defer {
        current.withLock { $0 = found.current }
        writer = found
      }
      return try body(&found)
    }
  }

  /// Keeps a batch; one that is there already stays, once.
  ///
  /// - Returns: Whether room should be made for the next segment.
  /// - Throws: ``JournalError``. Where it is `full`, `busy` or `fenced` nothing was kept; else it
  ///   is not known what was, and nothing further may be appended.
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

  /// Makes some of the room for the next segment; may be called while others are at it.
  ///
  /// - Returns: Whether there is more to do.
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
      // Nothing is in it, whatever the disk says. It is tried again with the next segment; until
      // then this one grows.
      prepared.withLock { $0 = nil }
      return false
    }
    prepared.withLock { $0 = next }
    if next.isReady, !FileManager.default.fileExists(atPath: reservePath) {
      // There is room again: the reserve is taken, where it had to be given up for good.
      _ = DurableFile.reserve(Self.reserveBytes, at: reservePath)
    }
    return !next.isReady
  }

  /// Whether what is appended is to be synced by a call of its own.
  var isSyncedLater: Bool { request.durability == .batched }

  /// Syncs what was appended.
  func sync() throws(JournalError) {
    try withWriter { (writer) throws(JournalError) in try writer.sync() }
  }

  /// Notes that history goes on in another epoch, whatever is promised of the rest.
  package func renew(epoch: UInt64) throws(JournalError) {
    try withWriter { (writer) throws(JournalError) in
      try writer.checkSeal()
      try writer.startSegment(takePrepared()) { $0.epoch = epoch }
    }
  }

  /// The daemon ends, and everything that it told anybody is kept.
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

  /// The checksum of the entry that ends at a revision, if that is the newest one.
  package func mark(at revision: UInt64) -> UInt64? {
    writer.withLock { $0.flatMap { $0.last == revision ? $0.sum : nil } }
  }

  /// Whether it is in a file system that keeps its files in memory only: the end of the machine
  /// takes all of them, whatever is promised.
  package var isInMemory: Bool { FileSystemKind.isInMemory(directory) }

  /// The segment that is written, where it has been removed; nil where it has not, or where that
  /// cannot be known now.
  package var lostPath: String? {
    current.withLock { current in
      guard let current, (try? current.file.isNamed(current.path)) == false else { return nil }
      return current.path
    }
  }

  // MARK: Snapshots

  /// Writes a snapshot's file; may be called while others are at it.
  ///
  /// Where no other revision has one that can be read, a second file is written behind it.
  ///
  /// - Parameters:
  ///   - bytes: The snapshot.
  ///   - revision: Its revision.
  ///   - mark: The checksum of the entry that ends with the revision; nil where that is not known.
  /// - Throws: ``JournalError``.
  package func write(
    _ bytes: [UInt8],
    of revision: UInt64,
    after mark: UInt64? = nil,
  ) throws(JournalError) {
    let schema = request.schema.encoded()
    let fields = SnapshotFile.Fields(schema: schema, history: opening.history, sum: mark)
    let trailer = SnapshotFile.trailer(of: bytes, revision, fields)
    // A file of another history keeps its name.
    let isTaken = try snapshots.isForeign(revision)
    let path = SnapshotFile.path(of: revision, in: directory, isCopy: isTaken)
    try DurableFile.write(bytes, trailer, to: path) {
      // It is whole, and has not its name yet.
      Failpoint.reach(.duringSnapshot)
      return false
    }
    snapshots.note(own: revision, isCopy: isTaken)
    try checkSnapshot(before: revision)
    guard !isTaken, try snapshots.readable().count < Self.snapshotsKept else { return }
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

  /// Makes two files again of the only snapshot that can be read, where one of them is missing or
  /// damaged.
  ///
  /// May be called while others are at it.
  package func completeSnapshots() throws(JournalError) {
    guard let (revision, contents) = try snapshots.newest() else { return }
    for other in try snapshots.readable(upTo: max(revision, 1) - 1) where other != revision {
      if try snapshots.read(other) != nil { return }
    }
    let trailer = SnapshotFile.trailer(of: contents.bytes, revision, contents.fields)
    for isCopy in [false, true] {
      let path = SnapshotFile.path(of: revision, in: directory, isCopy: isCopy)
      // It is the same, or that of another history, which keeps its name.
      if try SnapshotFile.read(path, revision) != nil { continue }
      try DurableFile.write(contents.bytes, trailer, to: path)
    }
    if contents.isCopy { _ = try snapshots.read(revision) }
  }

  /// The only revision that has a snapshot, and the bytes of its file; nil where there are more.
  package var loneSnapshot: (revision: UInt64, bytes: Int)? {
    get throws(JournalError) {
      let revisions = try snapshots.readable()
      guard let revision = revisions.first, revisions.count == 1 else { return nil }
      let paths = [false, true].map {
        SnapshotFile.path(of: revision, in: directory, isCopy: $0)
      }
      var size = 0
      for path in paths { size = max(size, try DurableFile.size(of: path) ?? 0) }
      return (revision, size)
    }
  }

  /// The files of snapshots that are of other histories, and are not used.
  package var foreignSnapshots: [String] { snapshots.foreign }

  /// Finds the snapshots that are not needed besides one that was written: older ones than the one
  /// before, and those that cannot be read.
  ///
  /// - Returns: Their files.
  /// - Throws: ``JournalError``.
  package func unneededSnapshots() throws(JournalError) -> [String] {
    try withWriter { (writer) throws(JournalError) in try writer.checkSeal() }
    return try unneeded()
  }

  func unneeded() throws(JournalError) -> [String] {
    try snapshots.unneeded(keeping: Self.snapshotsKept)
  }

  /// Notes whether the newest snapshot before a revision can still be read.
  ///
  /// It is what a restart falls back on while there is but one newer.
  ///
  /// - Throws: ``JournalError``, where that cannot be known now.
  func checkSnapshot(before revision: UInt64) throws(JournalError) {
    guard revision > 0 else { return }
    while let newest = try snapshots.readable(upTo: revision - 1).first {
      if try snapshots.read(newest) != nil { return }
    }
  }

  /// Removes files that nobody needs any more; one that stays goes when the next daemon begins.
  package static func remove(_ paths: [String]) {
    for path in paths { try? DurableFile.remove(path) }
  }

  // MARK: Old history

  /// The time, in milliseconds since 1970.
  static var wallMilliseconds: UInt64 { UInt64(max(0, Date().timeIntervalSince1970 * 1000)) }

  /// Lets go of a segment that neither a snapshot nor the retention needs.
  ///
  /// - Parameters:
  ///   - retention: What is kept besides.
  ///   - wallMilliseconds: The time, in milliseconds since 1970.
  ///   - elapsed: For how long this daemon has been writing; nil to measure it.
  /// - Returns: Whether there may be more to let go of.
  /// - Throws: ``JournalError``.
  package func trim(
    _ retention: Retention,
    at wallMilliseconds: UInt64 = 0,
    after elapsed: Duration? = nil,
  ) throws(JournalError) -> Bool {
    try withWriter { (writer) throws(JournalError) in
      try writer.checkSeal()
      let revisions = try snapshots.readable()
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
