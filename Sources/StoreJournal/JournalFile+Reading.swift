import Foundation
import GRDB
package import StoreState

extension JournalFile {
  /// What is read of a history, in this order.
  package enum Part {
    /// What follows was written by a build with this schema.
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
        let snapshot = try newestSnapshot(db)
        if let snapshot {
          revision = snapshot.revision
          try hand(.build(try schema(of: snapshot.build, db)), at: revision, to: take)
          try hand(.snapshot(snapshot.bytes), at: revision, to: take)
        }
        let bytes = try readRecords(db, after: revision, take)
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
    _ take: (Part) throws(CodecError) -> Void,
  ) throws -> Int {
    let rows = try Row.fetchCursor(
      db,
      sql: "SELECT first, last, build, sessions, sum, records FROM log WHERE last > ? "
        + "ORDER BY first",
      arguments: [Int64(revision)],
    )
    var (next, bytes) = (revision + 1, 0)
    while let row = try rows.next() {
      let first: Int64 = row["first"]
      let last: Int64 = row["last"]
      let records = [UInt8](row["records"] as Data)
      guard let upper = UInt64(exactly: last), first == Int64(clamping: next), last >= first else {
        throw corrupt("revision \(next) is missing: the next ones kept are \(first) to \(last)")
      }
      guard SipHash24.hash(records[...]) == UInt64(bitPattern: row["sum"]) else {
        throw corrupt("revisions \(first) to \(last) do not have the checksum they were kept with")
      }
      try hand(.build(try schema(of: row["build"], db)), at: next, to: take)
      let sessions = UInt64(bitPattern: row["sessions"])
      try hand(.records(records, sessionNumbers: sessions), at: next, to: take)
      next = upper + 1
      bytes += records.count
    }
    return bytes
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
      throw corrupt("revision \(revision) cannot be read: \(error)")
    }
  }

  private func corrupt(_ what: String) -> JournalError { Self.corrupt(directory, what) }

  private static func corrupt(_ directory: String, _ what: String) -> JournalError {
    JournalError(
      .corrupt,
      "The journal in \(directory) is damaged: \(what). Restore a backup, or move the directory "
        + "away to begin anew.",
    )
  }

  private func schema(of build: Int64, _ db: Database) throws -> SchemaDocument {
    try Self.schema(of: build, db, directory)
  }

  static func schema(
    of build: Int64,
    _ db: Database,
    _ directory: String,
  ) throws -> SchemaDocument {
    let data = try Data.fetchOne(
      db,
      sql: "SELECT schema FROM build WHERE id = ?",
      arguments: [build],
    )
    guard let data else { throw corrupt(directory, "the schema of build \(build) is missing") }
    do throws(CodecError) {
      return try SchemaDocument(encoded: [UInt8](data))
    } catch {
      throw corrupt(directory, "the schema of build \(build) cannot be read: \(error)")
    }
  }

  /// The newest snapshot whose file is as it was kept; records before older ones may be gone.
  private func newestSnapshot(
    _ db: Database
  ) throws -> (revision: UInt64, build: Int64, bytes: [UInt8])? {
    let rows = try Row.fetchAll(
      db,
      sql: "SELECT revision, build, sum FROM snapshot ORDER BY revision DESC",
    )
    for row in rows {
      guard let revision = UInt64(exactly: row["revision"] as Int64),
        let data = FileManager.default.contents(atPath: path(of: revision))
      else { continue }
      let bytes = [UInt8](data)
      guard SipHash24.hash(bytes[...]) == UInt64(bitPattern: row["sum"]) else { continue }
      return (revision, row["build"], bytes)
    }
    return nil
  }

  func path(of revision: UInt64) -> String {
    "\(directory)/snapshots/\(revision).snapshot"
  }
}
