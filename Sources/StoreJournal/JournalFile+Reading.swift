import Foundation
import GRDB
package import StoreState
import Synchronization

extension JournalFile {
  /// What is read of a history, in this order.
  package enum Part {
    /// What follows was written by a build with this schema, until another one comes.
    case build(SchemaDocument)
    /// The newest snapshot that can be read.
    case snapshot([UInt8])
    /// Records, and the greatest number that a session had then.
    case records([UInt8], sessionNumbers: UInt64)
  }

  /// Reads the newest good snapshot and the records since.
  ///
  /// - Parameter take: Takes what was read.
  /// - Returns: How many bytes of records there are behind the snapshot.
  /// - Throws: ``JournalError``, also in place of a `CodecError` that `take` throws.
  package func read(_ take: (Part) throws(CodecError) -> Void) throws(JournalError) -> Int {
    do {
      return try database.read { db in
        var revision: UInt64 = 0
        var build: Int64?
        let snapshot = try newestSnapshot(db)
        if let snapshot {
          revision = snapshot.row.revision
          build = snapshot.row.build
          try hand(.build(try schema(of: snapshot.row.build, db)), at: revision, to: take)
          try hand(.snapshot(snapshot.bytes), at: revision, to: take)
        }
        let bytes = try readRecords(db, after: revision, writtenBy: build, take)
        guard snapshot != nil || bytes == 0 else {
          throw corrupt("none of its snapshots can be read, and records say only what changed")
        }
        return bytes
      }
    } catch {
      throw Self.error(error, "The journal in \(directory) could not be read")
    }
  }

  private func readRecords(
    _ db: Database,
    after revision: UInt64,
    writtenBy known: Int64?,
    _ take: (Part) throws(CodecError) -> Void,
  ) throws -> Int {
    let rows = try LogRow.after(revision, in: db)
    var (next, bytes) = (revision + 1, 0)
    var (before, build) = (UInt64?.none, known)
    while let row = try Self.next(of: rows, at: next, in: directory) {
      guard let upper = UInt64(exactly: row.last), row.first == Int64(clamping: next),
        row.last >= row.first
      else {
        throw corrupt(
          "revision \(next) is missing: the next ones kept are \(row.first) to \(row.last)",
          before: next,
        )
      }
      guard row.isWhole else {
        throw corrupt(
          "revisions \(row.first) to \(row.last) do not have the checksum they were kept with",
          before: next,
        )
      }
      guard before == nil || before == row.before else {
        throw corrupt(
          "revisions \(row.first) to \(row.last) belong to another history",
          before: next,
        )
      }
      if row.build != build {
        build = row.build
        try hand(.build(try schema(of: row.build, db)), at: next, to: take)
      }
      let sessions = UInt64(bitPattern: row.sessions)
      try hand(.records(row.records, sessionNumbers: sessions), at: next, to: take)
      next = upper + 1
      bytes += row.records.count
      before = row.sum
    }
    return bytes
  }

  /// The next row, or what helps where it cannot be read.
  private static func next(
    of rows: MapCursor<RowCursor, LogRow>,
    at revision: UInt64,
    in directory: String,
  ) throws -> LogRow? {
    do {
      return try rows.next()
    } catch  where isDamage(error) {
      throw corrupt(directory, "revision \(revision) cannot be read", before: revision)
    }
  }

  private func hand(
    _ part: Part,
    at revision: UInt64,
    to take: (Part) throws(CodecError) -> Void,
  ) throws {
    do throws(CodecError) {
      try take(part)
    } catch {
      if case .build = part {
        throw JournalError(
          .schema,
          "The journal in \(directory) was written by a program with other types, which this one "
            + "cannot read from revision \(revision) on: \(error). Start the program that wrote "
            + "it, or give what changed a former name or a default.",
        )
      }
      throw corrupt("revision \(revision) cannot be read: \(error)", before: revision)
    }
  }

  private func corrupt(_ what: String, before revision: UInt64? = nil) -> JournalError {
    Self.corrupt(directory, what, before: revision)
  }

  private static func corrupt(
    _ directory: String,
    _ what: String,
    before revision: UInt64? = nil,
  ) -> JournalError {
    JournalError(
      .corrupt,
      "The journal in \(directory) is damaged: \(what). \(remedy(directory, before: revision))",
    )
  }

  /// What helps a damaged history, of which what comes before a revision can be read.
  static func remedy(_ directory: String, before revision: UInt64?) -> String {
    guard let revision, revision > 0 else {
      return "Restore a backup, or move the directory away to begin anew."
    }
    return "Restore a backup; or go on from revision \(revision - 1) in another directory, with: "
      + "storectl restore \(ShellWord.quoted(directory)) --data DIRECTORY "
      + "--through \(revision - 1)"
  }

  private func schema(of build: Int64, _ db: Database) throws -> SchemaDocument {
    try Self.schema(of: build, db, directory)
  }

  static func schema(
    of build: Int64,
    _ db: Database,
    _ directory: String,
  ) throws -> SchemaDocument {
    let row = try Row.fetchOne(
      db,
      sql: "SELECT schema, sum FROM build WHERE id = ?",
      arguments: [build],
    )
    guard let row else { throw corrupt(directory, "the schema of build \(build) is missing") }
    let bytes = [UInt8](try row.decode(Data.self, forColumn: "schema"))
    guard SipHash24.hash(bytes[...]) == UInt64(bitPattern: try row.decode(forColumn: "sum")) else {
      let what = "the schema of build \(build) does not have the checksum it was kept with"
      throw corrupt(directory, what)
    }
    do throws(CodecError) {
      return try SchemaDocument(encoded: bytes)
    } catch {
      throw corrupt(directory, "the schema of build \(build) cannot be read: \(error)")
    }
  }

  /// The newest snapshot whose file is as it was kept; records before older ones may be gone.
  private func newestSnapshot(_ db: Database) throws -> (row: SnapshotRow, bytes: [UInt8])? {
    for row in try SnapshotRow.newestFirst(db) {
      if let bytes = row.bytes(in: directory) { return (row, bytes) }
      damaged.withLock { _ = $0.insert(row.revision) }
    }
    return nil
  }

  /// Notes whether the newest snapshot that is kept can still be read, for it is what a restart
  /// falls back on while there is but one newer.
  package func checkNewestSnapshot() throws(JournalError) {
    do {
      let newest = try database.read { db in try SnapshotRow.newestFirst(db).first }
      guard let newest, newest.bytes(in: directory) == nil else { return }
      damaged.withLock { _ = $0.insert(newest.revision) }
    } catch {
      throw Self.error(error, "The snapshots in \(directory) could not be checked")
    }
  }
}
