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

  /// How many bytes of records neither a snapshot nor the retention needs; forgets old snapshots.
  ///
  /// - Parameter retained: The bytes of records that are kept besides.
  /// - Returns: The bytes to let go of.
  /// - Throws: ``JournalError``.
  package func excess(retaining retained: Int) throws(JournalError) -> Int {
    do {
      return try database.write { db in
        let revisions = try snapshots(db)
        for old in revisions.dropFirst(Self.snapshotsKept) {
          try db.execute(sql: "DELETE FROM snapshot WHERE revision = ?", arguments: [old])
          try? FileManager.default.removeItem(atPath: path(of: UInt64(clamping: old)))
        }
        guard revisions.count >= Self.snapshotsKept else { return 0 }
        let bytes = try Int.fetchOne(
          db,
          sql: "SELECT SUM(LENGTH(records)) FROM log WHERE last <= ?",
          arguments: [revisions[Self.snapshotsKept - 1]],
        )
        return max(0, (bytes ?? 0) - retained)
      }
    } catch {
      throw Self.error(error, "Old history in \(directory) could not be let go of")
    }
  }

  /// Lets go of a piece of old history.
  ///
  /// - Parameter excess: The bytes to let go of.
  /// - Returns: The bytes that are still to go; 0 when there is nothing more.
  /// - Throws: ``JournalError``.
  package func discard(_ excess: Int) throws(JournalError) -> Int {
    guard excess > 0 else { return 0 }
    do {
      return try database.write { db in
        let revisions = try snapshots(db)
        guard revisions.count >= Self.snapshotsKept else { return 0 }
        let gone = try Int.fetchAll(
          db,
          sql: "DELETE FROM log WHERE first IN "
            + "(SELECT first FROM log WHERE last <= ? ORDER BY first LIMIT ?) "
            + "RETURNING LENGTH(records)",
          arguments: [revisions[Self.snapshotsKept - 1], Self.rowsPerPiece],
        )
        return gone.count < Self.rowsPerPiece ? 0 : max(0, excess - gone.reduce(0, +))
      }
    } catch {
      throw Self.error(error, "Old history in \(directory) could not be let go of")
    }
  }

  private func snapshots(_ db: Database) throws -> [Int64] {
    try Int64.fetchAll(db, sql: "SELECT revision FROM snapshot ORDER BY revision DESC")
  }
}
