import Foundation
import GRDB
package import StoreState
import Synchronization

#if canImport(SQLite3)
import SQLite3
#else
import GRDBSQLite
#endif

/// A root's history in a directory: an SQLite file with its records, and a file for each snapshot.
///
/// Every call blocks, and may be made on any thread, by one caller at a time unless it says
/// otherwise. The form on disk is a row for each batch of records, with a checksum of the whole row
/// and of the one before; a row says which build wrote it, and the schemas of the builds are kept
/// as well.
///
/// Opening changes nothing that is there. ``begin()``, once all could be read, notes who writes
/// from now on.
package final class JournalFile: Sendable {
  /// The number of the form on disk: of the tables, of records, and of snapshots.
  ///
  /// It changes with each of them that an earlier release could not read, or would read as
  /// something else.
  package static let format = 2
  /// The oldest one that is read.
  ///
  /// In format 1 records did not say how they came about.
  static let oldestFormat = 2
  /// What is let go of in one transaction, so that no commit waits for long.
  static let (rowsPerPiece, bytesPerPiece) = (64, 1 << 20)
  static let snapshotsKept = 2
  /// How long a call waits for another program that has the file to itself, in seconds.
  static let patience = 1.0
  /// What is given up where the disk is full: letting go of old history takes room itself, as much
  /// as the write-ahead log has.
  static let reserveBytes = 8 << 20

  /// The files that a journal consists of while it is written, besides snapshots.
  package static let names = ["journal.sqlite", "journal.sqlite-wal"]

  package let directory: String
  let database: DatabaseQueue
  let request: Request
  /// What the journal said when it was opened.
  package let opening: Opening
  /// Where the next row goes; nil before ``begin()``.
  ///
  /// Guarded, since snapshots are written by another thread than records.
  let end = Mutex<End?>(nil)
  /// Snapshots that cannot be read.
  let damaged = Mutex<Set<UInt64>>([])

  /// What the next row follows.
  struct End {
    /// The number of the build that writes.
    let build: Int64
    /// The number under which this daemon writes: each that begins raises it by one, and what an
    /// earlier one writes is refused from then on.
    let term: UInt64
    /// The last row's checksum.
    var sum: UInt64
    /// The bytes of all records so far, with those that were let go of.
    var total: Int64
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
    /// How many commits at the end of its log were not as they were written, and are left out.
    package var tornCommits = 0
    /// The newest revision that there is.
    package var newest: UInt64 = 0
    /// The term of the daemon that wrote last; 0 where none did.
    var term: UInt64 = 0
  }

  /// Opens a history, or begins one.
  ///
  /// - Parameters:
  ///   - directory: Where it is; the directory exists, and is the caller's alone.
  ///   - root: The root's name.
  ///   - schema: The schema of the root's durable form in this program.
  ///   - durability: What is promised.
  ///   - epoch: A random number, for a history that begins.
  /// - Throws: ``JournalError``.
  package init(
    directory: String,
    root: String,
    schema: SchemaDocument,
    durability: Durability,
    epoch: UInt64,
  ) throws(JournalError) {
    self.directory = directory
    request = Request(
      directory: directory,
      root: root,
      schema: schema,
      durability: durability,
      epoch: epoch,
    )
    do {
      try Self.checkPresence(in: directory)
      (database, opening) = try Self.withRoom(in: directory) { [request] in
        try Self.open(request, leavingOut: try Self.checkLog(in: directory))
      }
      try FileManager.default.createDirectory(
        atPath: "\(directory)/snapshots",
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700],
      )
      try DurableFile.syncDirectory(directory)
    } catch {
      throw Self.error(error, "The journal in \(directory) could not be opened")
    }
  }

  private static func open(
    _ request: Request,
    leavingOut torn: Int,
  ) throws -> (DatabaseQueue, Opening) {
    var configuration = Configuration()
    configuration.journalMode = .wal
    configuration.busyMode = .timeout(patience)
    configuration.label = "storeactor.journal"
    // SQLite would let others read it, who may enter the directory.
    try DurableFile.keepOthersFrom(request.path)
    let database = try DatabaseQueue(path: request.path, configuration: configuration)
    let opening = try database.writeWithoutTransaction { db in
      // After GRDB has set up the connection, which sets NORMAL. That a daemon writes is on the
      // disk before anybody learns of it, whatever is promised of the rest.
      try promise(.full, in: db)
      return try tellingQuota(db) { try prepare(db, for: request, leavingOut: torn) }
    }
    return (database, opening)
  }

  /// Notes that this program writes from now on, and clears up what an earlier one left.
  ///
  /// To be called when all that is to be read could be read, before anything is written. Whoever
  /// wrote before can write no more; where somebody has written since the file was opened, nothing
  /// is changed.
  package func begin() throws(JournalError) {
    do {
      let found = try Self.withRoom(in: directory) {
        try database.writeWithoutTransaction { [request, opening] db in
          try Self.tellingQuota(db) {
            try Self.begin(db, request, opening, besides: damaged.withLock { $0 })
          }
        }
      }
      end.withLock { $0 = found }
      // Apart, for the term is raised once.
      try Self.withRoom(in: directory) {
        try database.writeWithoutTransaction { [request] db in
          // What an earlier program wrote without a sync is on the disk now.
          try Self.tellingQuota(db) { try Self.checkpointAll(db) }
          try Self.promise(request.durability, in: db)
        }
      }
      try removeStrays()
      _ = DurableFile.reserve(Self.reserveBytes, at: reservePath)
    } catch {
      throw Self.error(error, "The journal in \(directory) could not be begun")
    }
  }

  /// Moves everything to its place, or as much as others who read leave to be moved.
  private static func checkpointAll(_ db: Database) throws {
    do {
      try db.checkpoint(.truncate)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
      try db.checkpoint(.passive)
    }
  }

  /// Sets what SQLite syncs, and makes sure that it took it.
  private static func promise(_ durability: Durability, in db: Database) throws {
    let (name, value) = durability.synchronous
    try db.execute(sql: "PRAGMA synchronous = \(name)")
    // A checkpoint that SQLite begins by itself ends without anybody looking at its result.
    try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
    let set = try Int.fetchOne(db, sql: "PRAGMA synchronous")
    let mode = try String.fetchOne(db, sql: "PRAGMA journal_mode")
    guard set == value, mode == "wal" else {
      throw JournalError(
        .system,
        "SQLite does not promise what was asked of it: synchronous is \(set ?? -1) in place of "
          + "\(value), the journal mode is \(mode ?? "none") in place of wal. Use another version.",
      )
    }
  }

  /// What SQLite says that it does: how it syncs, and when it checkpoints by itself.
  func promised() throws -> (synchronous: Int?, checkpoint: Int?) {
    try database.writeWithoutTransaction { db in
      (
        try Int.fetchOne(db, sql: "PRAGMA synchronous"),
        try Int.fetchOne(db, sql: "PRAGMA wal_autocheckpoint"),
      )
    }
  }

  /// Notes that history goes on in another epoch, whatever is promised of the rest.
  package func renew(epoch: UInt64) throws(JournalError) {
    do {
      try database.writeWithoutTransaction { db in
        try Self.promise(.full, in: db)
        try change(in: db) { try Self.set(["epoch": String(epoch, radix: 16)], in: db) }
        try Self.promise(request.durability, in: db)
      }
    } catch {
      throw Self.error(error, "The new epoch of \(directory) could not be noted")
    }
  }

  /// Changes what is kept, in one transaction, unless another daemon has begun to write.
  func change<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try database.writeWithoutTransaction { db in try change(in: db) { try body(db) } }
  }

  private func change<Result>(in db: Database, _ body: () throws -> Result) throws -> Result {
    try Self.tellingQuota(db) {
      var result: Result?
      try db.inTransaction(.immediate) {
        let term = try Meta(db).term
        guard term == begun().term else { throw fenced(by: term) }
        result = try body()
        return .commit
      }
      guard let result else { preconditionFailure("A transaction has ended without its result") }
      return result
    }
  }

  func fenced(by term: UInt64) -> JournalError {
    JournalError(
      .fenced,
      "Another daemon has taken over the journal in \(directory): term \(term) follows "
        + "\(begun().term).",
    )
  }

  func begun() -> End {
    guard let end = end.withLock({ $0 }) else {
      preconditionFailure("The journal in \(directory) is written before it was begun")
    }
    return end
  }

  /// Does something, and says that the disk is full where a quota is: SQLite takes that for a disk
  /// that fails.
  ///
  /// What was to be written was not, as on a full disk. After a sync that is not known, whatever
  /// the reason.
  static func tellingQuota<Result>(_ db: Database, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_IOERR_WRITE {
      guard lastErrors(db) == [EDQUOT] else { throw error }
      throw DatabaseError(resultCode: .SQLITE_FULL, message: quotaReason)
    }
  }

  private static let quotaReason = "the quota of the disk is used up"

  /// What the system said when it refused something of a database's file, and of its log.
  ///
  /// Of a commit SQLite keeps no such number for the connection. Those of earlier refusals are
  /// among them: after another one than for want of room nothing is written any more.
  private static func lastErrors(_ db: Database) -> Set<Int32> {
    var errors: Set<Int32> = []
    for place in [SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER] {
      var file: UnsafeMutablePointer<sqlite3_file>?
      var number: Int32 = 0
      guard sqlite3_file_control(db.sqliteConnection, "main", place, &file) == SQLITE_OK,
        let file, let methods = file.pointee.pMethods,
        methods.pointee.xFileControl?(file, SQLITE_FCNTL_LAST_ERRNO, &number) == SQLITE_OK
      else { continue }
      errors.insert(number)
    }
    return errors.subtracting([0])
  }

  /// The daemon ends, and everything that it told anybody is kept.
  package func close() throws(JournalError) {
    do {
      try database.writeWithoutTransaction { db in
        guard end.withLock({ $0 != nil }) else { return }
        try Self.promise(.full, in: db)
        try Self.tellingQuota(db) {
          try Self.checkpointAll(db)
          try change(in: db) { try Self.set(["clean": "1"], in: db) }
          try Self.checkpointAll(db)
        }
      }
      try database.close()
    } catch {
      throw Self.error(error, "The journal in \(directory) could not be closed")
    }
  }

  static func error(_ error: any Error, _ what: String) -> JournalError {
    if let error = error as? JournalError { return error }
    if let error = error as? DatabaseError {
      let code = code(of: error)
      let remedy = code == .corrupt ? " Restore a backup." : ""
      // What SQLite says of it may be no more than that something was wrong with the disk.
      let isFull = code == .full && error.message != quotaReason
      let reason = isFull ? "the disk is full" : error.message ?? "\(error)"
      return JournalError(code, "\(what): \(reason).\(remedy)")
    }
    guard !isDamage(error) else {
      return JournalError(.corrupt, "\(what): a row is not what it should be. Restore a backup.")
    }
    return JournalError(.system, "\(what): \(error.localizedDescription)")
  }

  /// Whether something was read that is not what was kept.
  static func isDamage(_ error: any Error) -> Bool {
    switch error {
    case let error as JournalError: error.code == .corrupt
    case let error as DatabaseError: code(of: error) == .corrupt
    default: error is RowDecodingError
    }
  }

  private static func code(of error: DatabaseError) -> JournalError.Code {
    switch error.resultCode {
    // What is asked is always right, so where SQLite does not know a table or column it is gone.
    case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR: .corrupt
    case .SQLITE_FULL: .full
    case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
    // The index of the log, which is no file of the history, did not find room to grow.
    case .SQLITE_IOERR where error.extendedResultCode == .SQLITE_IOERR_SHMSIZE: .full
    default: .system
    }
  }
}
