import Foundation
import GRDB
package import StoreReplication
package import StoreState
import Synchronization

/// Reads a journal beside whoever writes it, and never holds that up.
///
/// Each question is a short transaction of a connection of its own, so that the writer's file does
/// not grow because somebody looks back.
package final class JournalReader: HistorySource {
  /// Batches of records that are read at once.
  private static let rowsPerPiece = 16

  private let directory: String
  private let database: DatabaseQueue
  /// What is wrong with its end, which is not read then.
  package let damage: JournalError?
  /// Those of the builds that were met.
  private let schemas = Mutex<[Int64: SchemaDocument]>([:])

  /// Opens a journal that is there.
  ///
  /// - Parameters:
  ///   - directory: Where it is.
  ///   - root: The root's name; nil where any will do.
  ///   - isPartial: Whether a history whose end is damaged is read as far as it can be.
  /// - Throws: ``JournalError``.
  package init(
    directory: String,
    root: String? = nil,
    isPartial: Bool = false,
  ) throws(JournalError) {
    self.directory = directory
    let path = JournalFile.path(in: directory)
    do {
      try JournalFile.checkPresence(in: directory)
      guard FileManager.default.fileExists(atPath: path) else {
        throw JournalError(
          .missing,
          "There is no journal in \(directory). Name the directory that the daemon was given with "
            + "--data, or \"data\" in its directory.",
        )
      }
      // Whoever writes has looked, and changes it meanwhile.
      let isWritten = DirectoryLock.holder(of: directory) != nil
      damage = isWritten ? nil : try Self.damage(of: directory, isAccepted: isPartial)
      database = try JournalFile.reading(directory)
      try database.read { db in
        try JournalFile.check(try JournalFile.Meta(db), root: root, directory: directory)
      }
    } catch {
      throw JournalFile.error(error, "The journal in \(directory) could not be opened")
    }
  }

  /// What is wrong with a history's end.
  private static func damage(of directory: String, isAccepted: Bool) throws -> JournalError? {
    do {
      try JournalFile.checkLog(in: directory)
      return nil
    } catch let error as JournalError where isAccepted {
      return error
    }
  }

  /// Whose history it is.
  package func heading() throws(HistoryError) -> HistoryHeading {
    let meta = try ask { db in try JournalFile.Meta(db) }
    guard let root = meta["root"], let epoch = meta.epoch else {
      throw HistoryError(
        .corrupt,
        "The journal in \(directory) does not say whose it is. Restore a backup.",
      )
    }
    return HistoryHeading(root: root, epoch: epoch, wasStopped: meta["clean"] == "1")
  }

  package func extent() throws(HistoryError) -> HistoryExtent { try extent(from: nil) }

  /// The revisions that there are.
  ///
  /// - Parameter start: A snapshot; what comes before it is not looked at. Nil for all.
  /// - Returns: Their ends.
  /// - Throws: ``HistoryError``.
  func extent(from start: UInt64?) throws(HistoryError) -> HistoryExtent {
    try ask { db in
      let snapshots = try Int64.fetchAll(
        db,
        sql: "SELECT revision FROM snapshot WHERE revision >= ? ORDER BY revision",
        arguments: [Int64(clamping: start ?? 0)],
      )
      .map { UInt64(clamping: $0) }
      guard let oldest = snapshots.first, let newest = snapshots.last else {
        throw HistoryError(.unavailable, "Nothing is kept in \(self.directory) yet.")
      }
      let first = start == nil ? try Int64.fetchOne(db, sql: "SELECT MIN(first) FROM log") : nil
      return HistoryExtent(
        oldestState: oldest,
        beforeRecords: start ?? first.map { UInt64(clamping: max($0, 1) - 1) } ?? newest,
        newest: try JournalFile.newestRevision(db),
        snapshots: snapshots,
      )
    }
  }

  /// The oldest snapshot of some revision or a later one that can be read; nil for none.
  func oldestSnapshot(from revision: UInt64) throws(HistoryError) -> UInt64? {
    try ask { db in
      try SnapshotRow.newestFirst(db).reversed().first {
        $0.revision >= revision && $0.bytes(in: self.directory) != nil
      }?
      .revision
    }
  }

  package func snapshot(upTo revision: UInt64) throws(HistoryError) -> HistoryPart? {
    let rows = try ask { db in try SnapshotRow.newestFirst(db, upTo: revision) }
    for row in rows {
      guard let bytes = row.bytes(in: directory) else { continue }
      return HistoryPart(schema: try schema(of: row.build), bytes: bytes)
    }
    return nil
  }

  package func records(
    after revision: UInt64,
    _ take: (HistoryPart) throws(HistoryError) -> Bool,
  ) throws(HistoryError) {
    var reached = revision
    var before: LogRow?
    while true {
      let batches = try rows(after: reached)
      for batch in batches {
        let first = UInt64(clamping: batch.first)
        guard before == nil || first == reached + 1 else {
          throw HistoryError(
            .gone,
            "Revision \(reached + 1) is not kept any more: the next one is \(first).",
          )
        }
        guard batch.isWhole else {
          let what = "do not have the checksum that they were kept with"
          throw damaged("Revisions \(batch.first) to \(batch.last) \(what).", at: first)
        }
        guard before?.sum ?? batch.before == batch.before else {
          let what = "belong to another history"
          throw damaged("Revisions \(batch.first) to \(batch.last) \(what).", at: first)
        }
        (reached, before) = (UInt64(clamping: batch.last), batch)
        let part = HistoryPart(
          schema: try schema(of: batch.build),
          bytes: batch.records,
          sessionNumbers: UInt64(bitPattern: batch.sessions),
        )
        guard try take(part) else { return }
      }
      if batches.isEmpty { return }
    }
  }

  private func rows(after revision: UInt64) throws(HistoryError) -> [LogRow] {
    do throws(HistoryError) {
      return try ask { db in try LogRow.fetch(Self.rowsPerPiece, after: revision, in: db) }
    } catch  where error.code == .corrupt {
      throw damaged("Revision \(revision + 1) cannot be read.", at: revision + 1)
    }
  }

  /// What to say of damage, and what helps: less than a backup where a snapshot is behind it.
  private func damaged(_ what: String, at revision: UInt64) -> HistoryError {
    do throws(HistoryError) {
      guard let snapshot = try oldestSnapshot(from: revision) else {
        return HistoryError(.corrupt, "\(what) \(JournalFile.remedy(directory, before: revision))")
      }
      return HistoryError(
        .corrupt,
        "\(what) Only what was before is gone: the snapshot of revision \(snapshot) is good, a "
          + "daemon starts, and backup and restore begin with that snapshot.",
      )
    } catch {
      return error
    }
  }

  /// The schemas of all builds that have written it, oldest first.
  package func allSchemas() throws(HistoryError) -> [SchemaDocument] {
    let builds = try ask { db in try Int64.fetchAll(db, sql: "SELECT id FROM build ORDER BY id") }
    var found: [SchemaDocument] = []
    for build in builds { found.append(try schema(of: build)) }
    return found
  }

  private func schema(of build: Int64) throws(HistoryError) -> SchemaDocument {
    if let known = schemas.withLock({ $0[build] }) { return known }
    let schema = try ask { db in try JournalFile.schema(of: build, db, self.directory) }
    schemas.withLock { $0[build] = schema }
    return schema
  }

  private func ask<Value>(_ body: (Database) throws -> Value) throws(HistoryError) -> Value {
    do {
      return try database.read(body)
    } catch let error as HistoryError {
      throw error
    } catch {
      let error = JournalFile.error(error, "The journal in \(directory) could not be read")
      throw HistoryError(error.code == .corrupt ? .corrupt : .unavailable, error.message)
    }
  }
}
