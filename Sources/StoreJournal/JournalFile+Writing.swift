import Foundation
import GRDB
package import StoreReplication
import StoreState
import Synchronization

extension JournalFile {
  /// Keeps a batch; one that is there already stays, once.
  ///
  /// - Throws: ``JournalError``. Where it is `full`, `busy` or `fenced` nothing was kept; else it
  ///   is not known what was, and nothing further may be appended.
  package func append(_ batch: JournalBatch) throws(JournalError) {
    let end = begun()
    let row = LogRow(
      first: Int64(batch.revisions.lowerBound),
      last: Int64(batch.revisions.upperBound),
      build: end.build,
      sessions: Int64(bitPattern: batch.sessionNumbers),
      total: end.total &+ Int64(batch.records.count),
      before: end.sum,
      records: batch.records,
    )
    do {
      try database.writeWithoutTransaction { db in
        try Self.tellingQuota(db) {
          guard try !row.insert(into: db, under: end.term) else { return }
          throw fenced(by: try Meta(db).term)
        }
      }
    } catch {
      throw Self.error(error, "The journal in \(directory) could not be written")
    }
    self.end.withLock { end in
      end?.sum = row.sum
      end?.total = row.total
    }
  }

  /// Whether what is appended is to be synced by a call of its own.
  var isSyncedLater: Bool { request.durability == .batched }

  /// Syncs what was appended.
  func sync() throws(JournalError) { try DurableFile.sync("\(request.path)-wal") }

  /// Moves what was appended to its place, so that the file beside it does not grow for ever.
  package func checkpoint() throws(JournalError) {
    do {
      try database.writeWithoutTransaction { db in
        _ = try Self.tellingQuota(db) { try db.checkpoint(.passive) }
      }
    } catch {
      let error = Self.error(error, "The journal in \(directory) could not be checkpointed")
      // Where it stays in its place the next checkpoint tries it again.
      if !error.code.isForNow { throw error }
    }
  }

  // MARK: Snapshots

  /// Writes a snapshot's bytes to a file of its own; may be called while others are at it.
  ///
  /// - Returns: What the journal is to know of it.
  /// - Throws: ``JournalError``.
  package func write(
    _ bytes: [UInt8],
    of revision: UInt64,
  ) throws(JournalError) -> SnapshotRow {
    try DurableFile.write(bytes, to: SnapshotRow.path(of: revision, in: directory)) {
      // It is whole, and has not its name yet.
      Failpoint.reach(.duringSnapshot)
      return false
    }
    return SnapshotRow(revision: revision, build: begun().build, of: bytes)
  }

  /// Keeps a snapshot that was written, and forgets old ones and those that cannot be read.
  ///
  /// - Returns: The files that nobody needs any more.
  /// - Throws: ``JournalError``.
  package func keep(_ snapshot: SnapshotRow) throws(JournalError) -> [String] {
    let damaged = damaged.withLock { $0.subtracting([snapshot.revision]) }
    do {
      return try change { db in
        try snapshot.insert(into: db)
        let revisions = try snapshots(db)
        let good = revisions.filter { !damaged.contains(UInt64(clamping: $0)) }
        let kept = Set(good.prefix(Self.snapshotsKept))
        let gone = revisions.filter { !kept.contains($0) }
        for revision in gone {
          try db.execute(sql: "DELETE FROM snapshot WHERE revision = ?", arguments: [revision])
        }
        return gone.map { SnapshotRow.path(of: UInt64(clamping: $0), in: directory) }
      }
    } catch {
      throw Self.error(error, "The snapshot of revision \(snapshot.revision) could not be kept")
    }
  }

  /// Removes files that nobody needs any more; one that stays goes when the next daemon begins.
  package static func remove(_ paths: [String]) {
    for path in paths { try? FileManager.default.removeItem(atPath: path) }
  }

  private func snapshots(_ db: Database) throws -> [Int64] {
    try Int64.fetchAll(db, sql: "SELECT revision FROM snapshot ORDER BY revision DESC")
  }

  // MARK: Old history

  /// Lets go of a piece of the records that neither a snapshot nor the retention needs.
  ///
  /// - Parameters:
  ///   - retention: What is kept besides.
  ///   - wallMilliseconds: The time, in milliseconds since 1970.
  /// - Returns: Whether there may be more to let go of.
  /// - Throws: ``JournalError``.
  package func trim(
    _ retention: Retention,
    at wallMilliseconds: UInt64 = 0,
  ) throws(JournalError) -> Bool {
    do {
      return try change { db in
        let revisions = try snapshots(db)
        guard revisions.count >= Self.snapshotsKept else { return false }
        let needed = revisions[Self.snapshotsKept - 1]
        let total = try Int64.fetchOne(
          db,
          sql: "SELECT total FROM log WHERE first <= ? AND last <= ? ORDER BY first DESC LIMIT 1",
          arguments: [needed, needed],
        )
        guard let total else { return false }
        let surplus = total &- Int64(clamping: retention.bytes)
        // A clock that is set ahead makes nothing older than it is beside the newest record.
        let newest = try LogRow.newestTime(db) ?? 0
        let start = retention.start(at: min(wallMilliseconds, newest))
        // The oldest rows only are looked at, however many are kept.
        let oldest = try LogRow.heads(Self.rowsPerPiece, through: needed, in: db)
        let most = (oldest.first?.total ?? 0) &+ Int64(Self.bytesPerPiece)
        let gone = oldest.prefix { row in
          let isOld = row.wallMilliseconds.map { $0 < start } ?? false
          return row.total <= most && (row.total <= surplus || isOld)
        }
        guard let last = gone.last else { return false }
        try db.execute(sql: "DELETE FROM log WHERE first <= ?", arguments: [last.first])
        Failpoint.reach(.duringTruncation)
        return true
      }
    } catch {
      throw Self.error(error, "Old history in \(directory) could not be let go of")
    }
  }
}
