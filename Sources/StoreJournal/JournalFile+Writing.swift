import Foundation
import GRDB
package import StoreReplication
import StoreState

extension JournalFile {
  /// Keeps a batch.
  ///
  /// - Returns: What became of it.
  package func append(_ batch: JournalBatch) -> JournalResult {
    do {
      try database.writeWithoutTransaction { db in
        let statement = try db.cachedStatement(
          sql: "INSERT INTO log (first, last, build, sessions, sum, records) "
            + "VALUES (?, ?, ?, ?, ?, ?)"
        )
        try statement.execute(
          arguments: [
            Int64(batch.revisions.lowerBound), Int64(batch.revisions.upperBound), build,
            Int64(bitPattern: batch.sessionNumbers),
            Int64(bitPattern: SipHash24.hash(batch.records[...])), Data(batch.records),
          ]
        )
      }
      return .durable(through: batch.revisions.upperBound)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
      return .full("\(error.message ?? "there is no room")")
    } catch {
      // SQLite goes on after a failed sync; what it holds is not what the disk holds then.
      return .failed("\(Self.error(error, "The journal in \(directory) could not be written"))")
    }
  }

  /// Moves what was appended to its place, so that the file beside it does not grow for ever.
  ///
  /// - Returns: Why nothing further may be appended; nil when all is well.
  package func checkpoint() -> String? {
    do {
      try database.writeWithoutTransaction { db in _ = try db.checkpoint(.passive) }
      return nil
    } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
      return nil
    } catch {
      return "\(Self.error(error, "The journal in \(directory) could not be checkpointed"))"
    }
  }

  /// Keeps a snapshot's bytes in a file of its own.
  package func write(_ bytes: [UInt8], of revision: UInt64) throws(JournalError) {
    let path = path(of: revision)
    do {
      try DurableFile.write(bytes, to: path)
      try database.write { db in
        try db.execute(
          sql: "INSERT OR REPLACE INTO snapshot (revision, build, sum, bytes) VALUES (?, ?, ?, ?)",
          arguments: [
            Int64(revision), build, Int64(bitPattern: SipHash24.hash(bytes[...])), bytes.count,
          ],
        )
      }
    } catch {
      throw Self.error(error, "The snapshot of revision \(revision) could not be kept")
    }
  }

  /// Lets go of some of the history that neither a snapshot nor the retention needs.
  ///
  /// - Parameter retained: The bytes of records that are kept besides.
  /// - Returns: Whether there may be more to let go of.
  /// - Throws: ``JournalError``.
  package func discard(retaining retained: Int) throws(JournalError) -> Bool {
    do {
      return try database.write { db in
        let revisions = try Int64.fetchAll(
          db,
          sql: "SELECT revision FROM snapshot ORDER BY revision DESC",
        )
        for old in revisions.dropFirst(Self.snapshotsKept) {
          try db.execute(sql: "DELETE FROM snapshot WHERE revision = ?", arguments: [old])
          try? FileManager.default.removeItem(atPath: path(of: UInt64(old)))
        }
        guard revisions.count >= Self.snapshotsKept else { return false }
        let needed = revisions[Self.snapshotsKept - 1]
        let bytes =
          try Int.fetchOne(
            db,
            sql: "SELECT SUM(LENGTH(records)) FROM log WHERE last <= ?",
            arguments: [needed],
          ) ?? 0
        guard bytes > retained else { return false }
        try db.execute(
          sql: "DELETE FROM log WHERE first IN "
            + "(SELECT first FROM log WHERE last <= ? ORDER BY first LIMIT ?)",
          arguments: [needed, Self.rowsPerPiece],
        )
        return db.changesCount == Self.rowsPerPiece
      }
    } catch {
      throw Self.error(error, "Old history in \(directory) could not be let go of")
    }
  }
}
