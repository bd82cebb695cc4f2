import Foundation
import GRDB
package import StoreReplication
import StoreState

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Writes a history to a directory that has none: a backup, or what a daemon starts from.
///
/// It is there as a whole, and on the disk, when ``finish()`` has returned, and else not at all. A
/// daemon that starts from it begins another epoch, for the history may go on without it.
package final class JournalCopy {
  /// Rows are as large as this, whatever they were.
  private static let bytesPerRow = 256 << 10
  /// What is written is synced so often.
  private static let bytesPerSync: Int64 = 2 << 20

  private let directory: String
  private let lock: DirectoryLock
  let database: DatabaseQueue
  private let heading: HistoryHeading
  /// The numbers of builds by their schemas.
  private var builds: [SchemaDocument: Int64] = [:]
  private var snapshots: Set<UInt64> = []
  /// Records of which no row was written yet.
  private var pending: Pending?
  /// The last row's checksum, and the bytes of all records so far.
  private var (sum, total): (UInt64, Int64) = (0, 0)
  /// The revisions of the records.
  private var revisions: ClosedRange<UInt64>?
  private var isFinished = false

  private struct Pending {
    var revisions: ClosedRange<UInt64>
    var build: Int64
    var sessionNumbers: UInt64
    var records: [UInt8]
  }

  /// Begins to write.
  ///
  /// - Parameters:
  ///   - heading: Whose history it is.
  ///   - directory: Where it goes: a directory that is empty, or is made.
  /// - Throws: ``JournalError``.
  package init(_ heading: HistoryHeading, to directory: String) throws(JournalError) {
    self.directory = directory
    self.heading = heading
    lock = try Self.take(directory)
    do {
      try FileManager.default.createDirectory(
        atPath: "\(directory)/snapshots",
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700],
      )
      let draft = Self.draft(in: directory)
      // SQLite would let others read it.
      close(open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600))
      var configuration = Configuration()
      configuration.label = "storeactor.copy"
      database = try DatabaseQueue(path: draft, configuration: configuration)
      try database.writeWithoutTransaction { db in
        // What is not finished is thrown away, and synced before it is finished.
        try db.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
        try JournalFile.create(db, root: heading.root, epoch: heading.epoch)
      }
    } catch {
      Self.remove([], from: directory)
      throw JournalFile.error(error, "A copy in \(directory) could not be begun")
    }
  }

  deinit { if !isFinished { Self.remove(snapshots, from: directory) } }

  private static func draft(in directory: String) -> String {
    JournalFile.path(in: directory) + DurableFile.draftSuffix
  }

  /// Makes a directory that is empty, or is there and is, and keeps others from it.
  private static func take(_ directory: String) throws(JournalError) -> DirectoryLock {
    let lock: DirectoryLock
    let names: [String]
    do {
      try FileManager.default.createDirectory(
        atPath: directory,
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700],
      )
      lock = try DirectoryLock(directory)
      names = try FileManager.default.contentsOfDirectory(atPath: directory)
    } catch DirectoryLock.Failure.held(let pid) {
      throw JournalError(
        .busy,
        "The program with pid \(pid) uses \(directory). Stop it first, or name another directory.",
      )
    } catch DirectoryLock.Failure.unopened(let reason), DirectoryLock.Failure.unwritten(let reason)
    {
      throw JournalError(.system, "\(directory) could not be locked: \(reason).")
    } catch {
      throw JournalFile.error(error, "\(directory) cannot be used")
    }
    guard let other = names.filter({ $0 != DirectoryLock.name }).min() else { return lock }
    throw JournalError(
      .occupied,
      "\(directory) is not empty: it has \"\(other)\". Name a directory that is, or is new.",
    )
  }

  /// The newest record's revision; 0 where there is none.
  var newest: UInt64 { pending?.revisions.upperBound ?? revisions?.upperBound ?? 0 }

  // MARK: Writing

  private func change<Result>(_ body: (Database) throws -> Result) throws -> Result {
    do {
      return try database.writeWithoutTransaction { db in
        try JournalFile.tellingQuota(db) { try body(db) }
      }
    } catch {
      throw JournalFile.error(error, "A copy in \(directory) could not be written")
    }
  }

  /// Takes a snapshot of a revision; those of all come before records.
  package func add(snapshot part: HistoryPart, of revision: UInt64) throws {
    try DurableFile.write(part.bytes, to: SnapshotRow.path(of: revision, in: directory))
    let row = SnapshotRow(revision: revision, build: try build(part.schema), of: part.bytes)
    try change { db in try row.insert(into: db) }
    snapshots.insert(revision)
  }

  /// Takes records, which follow those before.
  ///
  /// - Parameters:
  ///   - part: The records.
  ///   - revision: Those behind it are left out.
  /// - Returns: Whether there may be more up to that revision.
  /// - Throws: ``JournalError``, or ``HistoryError`` where they are not as they should be.
  package func add(
    records part: HistoryPart,
    through revision: UInt64 = .max,
  ) throws -> Bool {
    guard let found = try part.records(through: revision) else { return false }
    if let last = revisions?.upperBound, found.revisions.lowerBound != last + 1 {
      throw HistoryError(
        .corrupt,
        "Revision \(last + 1) is missing: \(found.revisions.lowerBound) follows \(last).",
      )
    }
    let build = try self.build(part.schema)
    if let pending, pending.build != build || !hasRoom(pending) { try write(pending) }
    take(found.revisions, found.bytes, build, part.sessionNumbers)
    let first = revisions?.lowerBound ?? found.revisions.lowerBound
    revisions = first...found.revisions.upperBound
    return found.revisions.upperBound < revision
  }

  private func take(
    _ revisions: ClosedRange<UInt64>,
    _ bytes: ArraySlice<UInt8>,
    _ build: Int64,
    _ sessionNumbers: UInt64,
  ) {
    guard let (first, numbers) = pending.map({ ($0.revisions.lowerBound, $0.sessionNumbers) })
    else {
      pending = Pending(
        revisions: revisions,
        build: build,
        sessionNumbers: sessionNumbers,
        records: Array(bytes),
      )
      return
    }
    pending?.revisions = first...revisions.upperBound
    pending?.sessionNumbers = max(numbers, sessionNumbers)
    pending?.records += bytes
  }

  /// A row must not go beyond a snapshot: what follows one begins with a row.
  private func hasRoom(_ pending: Pending) -> Bool {
    pending.records.count < Self.bytesPerRow && !snapshots.contains(pending.revisions.upperBound)
  }

  private func write(_ pending: Pending) throws {
    let row = LogRow(
      first: Int64(clamping: pending.revisions.lowerBound),
      last: Int64(clamping: pending.revisions.upperBound),
      build: pending.build,
      sessions: Int64(bitPattern: pending.sessionNumbers),
      total: total + Int64(pending.records.count),
      before: sum,
      records: pending.records,
    )
    _ = try change { db in try row.insert(into: db) }
    // A sync of all of it at the end would hold up whoever else syncs.
    if row.total / Self.bytesPerSync > total / Self.bytesPerSync {
      try DurableFile.sync(Self.draft(in: directory))
    }
    (sum, total) = (row.sum, row.total)
    self.pending = nil
  }

  private func build(_ schema: SchemaDocument) throws -> Int64 {
    if let known = builds[schema] { return known }
    let number = try change { db in
      try JournalFile.note(schema, in: db)
    }
    builds[schema] = number
    return number
  }

  // MARK: Ending

  /// Puts all of it in its place.
  ///
  /// - Returns: The newest revision.
  /// - Throws: ``JournalError``, or ``HistoryError`` where something is missing.
  package func finish() throws -> UInt64 {
    guard let newest = snapshots.max() else {
      throw HistoryError(.corrupt, "There is no snapshot, and records say only what changed.")
    }
    if let pending { try write(pending) }
    if let revisions, !(revisions.lowerBound - 1...revisions.upperBound).contains(newest) {
      throw HistoryError(
        .corrupt,
        "The snapshot is of revision \(newest), and the records are of revisions "
          + "\(revisions.lowerBound) to \(revisions.upperBound).",
      )
    }
    try change { db in
      // None of a file's own, so that whoever opens it knows that it is a copy.
      let values = [
        "clean": heading.wasStopped ? "1" : "0", "durability": Durability.full.rawValue,
        "file": "copy",
      ]
      try JournalFile.set(values, in: db)
    }
    try database.close()
    try DurableFile.publish(Self.draft(in: directory), as: JournalFile.path(in: directory))
    isFinished = true
    return revisions?.upperBound ?? newest
  }

  /// Removes what was written.
  private static func remove(_ snapshots: Set<UInt64>, from directory: String) {
    let files = snapshots.map { SnapshotRow.path(of: $0, in: directory) }
    // What cannot be removed keeps nobody from anything but using the directory.
    for path in files + [draft(in: directory), "\(directory)/snapshots"] {
      try? FileManager.default.removeItem(atPath: path)
    }
  }
}

extension JournalReader {
  /// How often a copy begins anew, because what it was about to take has been let go of.
  private static let copyAttempts = 3

  /// Copies what is kept to a directory, while somebody may go on writing.
  ///
  /// Each row and each snapshot is looked at on the way. It is read in pieces, so that the writer's
  /// file does not grow meanwhile. Where something is damaged that no restart needs, the copy
  /// begins with the oldest snapshot behind it.
  ///
  /// - Parameters:
  ///   - directory: A directory that is empty, or is made.
  ///   - revision: What came behind it is left out; nil for all that there is now.
  ///   - onProgress: Called with the revision that was reached, and the last one.
  ///   - note: Is told what is damaged where the copy begins behind it.
  /// - Returns: The newest revision that was copied.
  /// - Throws: ``HistoryError`` or ``JournalError``.
  package func copy(
    to directory: String,
    through revision: UInt64? = nil,
    onProgress: (UInt64, UInt64) -> Void = { _, _ in },
    noting note: (HistoryError) -> Void = { _ in },
  ) throws -> UInt64 {
    var (attempt, start) = (1, UInt64?.none)
    var damage: HistoryError?
    while true {
      var extent: HistoryExtent?
      var reached = start ?? 0
      do {
        let found = try self.extent(from: start)
        extent = found
        let newest = try copy(found, to: directory, through: revision, &reached, onProgress)
        if let damage { note(damage) }
        return newest
      } catch {
        if let extent, attempt < Self.copyAttempts,
          try self.extent(from: start).hasLetGo(since: extent)
        {
          attempt += 1
          continue
        }
        guard let found = error as? HistoryError, found.code == .corrupt,
          let next = try oldestSnapshot(from: extent == nil ? reached : reached + 1),
          next <= revision ?? .max, start.map({ next > $0 }) ?? true
        else { throw error }
        start = next
        damage = found
      }
    }
  }

  private func copy(
    _ extent: HistoryExtent,
    to directory: String,
    through revision: UInt64?,
    _ reached: inout UInt64,
    _ onProgress: (UInt64, UInt64) -> Void,
  ) throws -> UInt64 {
    let last = revision ?? extent.newest
    guard last <= extent.newest else { throw HistoryError.future(last, newest: extent.newest) }
    guard last >= extent.oldestState else { throw HistoryError.gone(last, extent) }
    var heading = try self.heading()
    if last < extent.newest { heading.wasStopped = false }
    let copy = try JournalCopy(heading, to: directory)
    reached = extent.beforeRecords
    defer { reached = max(reached, copy.newest) }
    for revision in extent.snapshots where revision <= last {
      // One that cannot be read is not needed where another one can.
      guard let part = try snapshot(upTo: revision), try part.snapshotRevision() == revision else {
        continue
      }
      try copy.add(snapshot: part, of: revision)
    }
    if extent.beforeRecords < last {
      var failure: (any Error)?
      try records(after: extent.beforeRecords) { (part) throws(HistoryError) in
        do {
          let hasMore = try copy.add(records: part, through: last)
          onProgress(copy.newest, last)
          return hasMore
        } catch {
          failure = error
          return false
        }
      }
      if let failure { throw failure }
    }
    return try copy.finish()
  }
}
