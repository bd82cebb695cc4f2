import Foundation
import GRDB
package import StoreState

/// A root's history in a directory: an SQLite file with its records, and a file for each snapshot.
///
/// Every call blocks, and may be made on any thread, by one caller at a time. The form on disk is a
/// row for each batch of records, with a checksum; a row says which build wrote it, and the schemas
/// of the builds are kept as well.
package final class JournalFile: Sendable {
  /// The form on disk; a later one is refused.
  static let format = 1
  /// Rows that are let go of in one transaction, so that no commit waits for long.
  static let rowsPerPiece = 64
  static let snapshotsKept = 2

  package let directory: String
  let database: DatabaseQueue
  let build: Int64
  /// What the journal said when it was opened.
  package let opening: Opening

  /// What is known of a history before it is read.
  package struct Opening: Hashable, Sendable {
    /// A random number, new whenever history does not continue.
    package var epoch: UInt64
    /// Whether the daemon that wrote last has said that it ends.
    package var isClean: Bool
    /// Whether the program's types are those that wrote last.
    package var isSameBuild: Bool
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
    do {
      var configuration = Configuration()
      configuration.journalMode = .wal
      configuration.label = "storeactor.journal"
      let database = try DatabaseQueue(
        path: "\(directory)/journal.sqlite",
        configuration: configuration,
      )
      self.database = database
      (build, opening) = try database.writeWithoutTransaction { db in
        // After GRDB has set up the connection, which sets NORMAL. That a daemon writes is on the
        // disk before anybody learns of it, whatever is promised of the rest.
        try Self.promise(.full, in: db)
        let prepared = try Self.prepare(
          db,
          for: Request(
            directory: directory,
            root: root,
            schema: schema,
            durability: durability,
            epoch: epoch,
          ),
        )
        try db.checkpoint(.truncate)
        try Self.promise(durability, in: db)
        return prepared
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

  /// The daemon ends, and everything that it told anybody is kept.
  package func close() throws(JournalError) {
    do {
      try database.writeWithoutTransaction { db in
        try Self.promise(.full, in: db)
        try db.checkpoint(.truncate)
        try Self.set(["clean": "1"], in: db)
        try db.checkpoint(.truncate)
      }
      try database.close()
    } catch {
      throw Self.error(error, "The journal in \(directory) could not be closed")
    }
  }

  static func error(_ error: any Error, _ what: String) -> JournalError {
    if let error = error as? JournalError { return error }
    if let error = error as? DatabaseError {
      let isCorrupt = [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode)
      return JournalError(
        isCorrupt ? .corrupt : .system,
        "\(what): \(error.message ?? "\(error)").",
      )
    }
    return JournalError(.system, "\(what): \(error.localizedDescription)")
  }
}
