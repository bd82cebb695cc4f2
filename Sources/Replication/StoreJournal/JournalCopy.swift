import Foundation
package import StoreHistory
package import StoreProtocol
import StoreState

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Writes a history to an empty directory: a backup, or the start of another daemon.
///
/// The history is complete and durable when ``finish()`` has returned; before that it does not
/// exist. A daemon that starts from it begins another epoch, because the original history
/// may continue.
package final class JournalCopy {
  /// The size of a copy's entries, independent of the source's entries.
  private static let bytesPerEntry = 256 << 10

  private let directory: String
  private let lock: DirectoryLock
  private let heading: HistoryHeading
  /// The segment that is being written, its header, and the offset of the next entry.
  private var segment: (file: LogFile, header: LogHeader, place: Int)?
  private var snapshots: Set<UInt64> = []
  /// The schema of the newest snapshot.
  private var newestSchema: SchemaDocument?
  /// Records that are not yet part of an entry.
  private var pending: Pending?
  /// The last entry's checksum, and the bytes of all records so far.
  private var (sum, total): (UInt64, UInt64) = (0, 0)
  /// The revisions of the records.
  private var revisions: ClosedRange<UInt64>?
  private var isFinished = false
  /// The checksum of the initial state that the records begin with; 0 if it is unknown.
  package var initial: UInt64 = 0
  /// A new number: the copied history and this one may both continue.
  private let history = UInt64.random(in: 1 ... .max)

  private struct Pending {
    var revisions: ClosedRange<UInt64>
    var schema: SchemaDocument
    var sessionNumbers: UInt64
    var records: [UInt8]
  }

  /// Begins a copy.
  ///
  /// - Parameters:
  ///   - heading: The heading of the history.
  ///   - directory: The target: an empty directory, or a new one, which is created.
  /// - Throws: ``JournalError``.
  package init(_ heading: HistoryHeading, to directory: String) throws(JournalError) {
    self.directory = directory
    self.heading = heading
    lock = try Self.take(directory)
    do throws(JournalError) {
      // The mark of an unfinished copy is the first file: from then on no daemon begins here.
      try DurableFile.makeDirectory(Self.draft(in: directory))
      try DurableFile.makeDirectory(SnapshotFile.folder(in: directory))
      try DurableFile.syncWay(to: directory)
    } catch {
      Self.remove(from: directory)
      throw error
    }
  }

  deinit { if !isFinished { Self.remove(from: directory) } }

  private static func draft(in directory: String) -> String {
    LogSegment.folder(in: directory) + DurableFile.draftSuffix
  }

  /// Creates a directory unless it exists, refuses one that is not empty, and locks it.
  private static func take(_ directory: String) throws(JournalError) -> DirectoryLock {
    let draft = draft(in: directory)
    var isMarked = false
    do throws(JournalError) {
      let lock = try lock(directory) { () throws(JournalError) in
        // The mark of an unfinished copy precedes all other files: from then on no daemon begins a
        // history here, even if this process ends.
        guard try DurableFile.names(in: directory).isEmpty else { return }
        isMarked = mkdir(draft, 0o700) == 0
      }
      let known = isMarked ? [DirectoryLock.name, name(of: draft)] : [DirectoryLock.name]
      let names = try DurableFile.names(in: directory)
      guard let other = names.filter({ !known.contains($0) }).min() else { return lock }
      throw JournalError(
        .occupied,
        "\(directory) is not empty: it has \"\(other)\". Name a directory that is, or is new.",
      )
    } catch {
      if isMarked { rmdir(draft) }
      throw error
    }
  }

  private static func name(of path: String) -> String {
    String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
  }

  /// Creates a directory unless it exists, and locks it.
  private static func lock(
    _ directory: String,
    before: () throws(JournalError) -> Void,
  ) throws(JournalError) -> DirectoryLock {
    do {
      try FileManager.default.createDirectory(
        atPath: directory,
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700],
      )
      try before()
      return try DirectoryLock(directory)
    } catch let error as JournalError {
      throw error
    } catch DirectoryLock.Failure.held(let pid) {
      throw JournalError(
        .busy,
        "The program with pid \(pid) uses \(directory). Stop it first, or name another directory.",
      )
    } catch DirectoryLock.Failure.irregular {
      throw JournalError(
        .occupied,
        "\(DirectoryLock.file(in: directory)) is not a regular file. Remove it, or name another "
          + "directory.",
      )
    } catch DirectoryLock.Failure.unopened(let code), DirectoryLock.Failure.unwritten(let code),
      DirectoryLock.Failure.unlocked(let code)
    {
      let reason = String(cString: strerror(code))
      throw JournalError(.system, "\(directory) could not be locked: \(reason).")
    } catch {
      throw JournalError(
        .system,
        "\(directory) cannot be used: \(error.localizedDescription)",
      )
    }
  }

  /// The revision of the newest record; 0 if there is no record.
  var newest: UInt64 { pending?.revisions.upperBound ?? revisions?.upperBound ?? 0 }

  // MARK: Writing

  /// Adds a snapshot of a revision.
  ///
  /// All snapshots must be added before records.
  ///
  /// A copy's only snapshot has two files.
  package func add(snapshot part: HistoryPart, of revision: UInt64) throws {
    let fields = SnapshotFile.Fields(schema: part.schema.encoded(), history: history)
    let trailer = SnapshotFile.trailer(of: part.bytes, revision, fields)
    try DurableFile.write(part.bytes, trailer, to: SnapshotFile.path(of: revision, in: directory))
    if snapshots.allSatisfy({ $0 < revision }) { newestSchema = part.schema }
    if snapshots.isEmpty {
      let path = SnapshotFile.path(of: revision, in: directory, isCopy: true)
      try DurableFile.write(part.bytes, trailer, to: path)
    } else if let other = snapshots.first, snapshots.count == 1, other != revision {
      let path = SnapshotFile.path(of: other, in: directory, isCopy: true)
      JournalDirectory.remove([path])
    }
    snapshots.insert(revision)
  }

  /// Adds records, which must follow the records before.
  ///
  /// - Parameters:
  ///   - part: The records.
  ///   - revision: Later records are omitted.
  /// - Returns: Whether there may be more up to that revision.
  /// - Throws: ``JournalError``, or ``HistoryError`` if the records are invalid.
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
    if let pending, pending.schema != part.schema || !hasRoom(pending) { try write(pending) }
    take(found.revisions, found.bytes, part.schema, part.sessionNumbers)
    let first = revisions?.lowerBound ?? found.revisions.lowerBound
    revisions = first...found.revisions.upperBound
    return found.revisions.upperBound < revision
  }

  private func take(
    _ revisions: ClosedRange<UInt64>,
    _ bytes: ArraySlice<UInt8>,
    _ schema: SchemaDocument,
    _ sessionNumbers: UInt64,
  ) {
    guard let (first, numbers) = pending.map({ ($0.revisions.lowerBound, $0.sessionNumbers) })
    else {
      pending = Pending(
        revisions: revisions,
        schema: schema,
        sessionNumbers: sessionNumbers,
        records: Array(bytes),
      )
      return
    }
    pending?.revisions = first...revisions.upperBound
    pending?.sessionNumbers = max(numbers, sessionNumbers)
    pending?.records += bytes
  }

  /// Returns whether an entry may grow.
  ///
  /// It must end at a snapshot's revision: the records after the snapshot begin another entry.
  private func hasRoom(_ pending: Pending) -> Bool {
    pending.records.count < Self.bytesPerEntry && !snapshots.contains(pending.revisions.upperBound)
  }

  private func write(_ pending: Pending) throws(JournalError) {
    var head = LogEntry.Head(
      kind: .records,
      count: pending.records.count,
      first: pending.revisions.lowerBound,
      last: pending.revisions.upperBound,
      sessionNumbers: pending.sessionNumbers,
      before: sum,
    )
    try begin(pending.schema, at: head.first, hasRoomFor: head.size)
    let bytes = LogEntry.encode(&head, pending.records, key: segment?.header.key ?? 0)
    try append(bytes)
    (sum, total) = (head.sum, total + UInt64(head.count))
    self.pending = nil
  }

  private func append(_ bytes: [UInt8]) throws(JournalError) {
    guard let segment else { preconditionFailure("A copy is written before it has a segment") }
    try segment.file.write(bytes, at: segment.place)
    self.segment?.place += bytes.count
  }

  /// Begins a segment if the current one has no room, or belongs to another build.
  private func begin(
    _ schema: SchemaDocument,
    at first: UInt64,
    hasRoomFor count: Int,
  ) throws(JournalError) {
    let schema = schema.encoded()
    if let segment {
      let hasRoom = segment.place + count <= JournalDirectory.segmentBytes
      if hasRoom, segment.header.schema == schema { return }
      // Syncing each segment separately avoids one long sync at the end, which would delay the
      // syncs of others.
      try segment.file.sync()
    }
    var header = LogHeader(
      root: heading.root,
      epoch: heading.epoch,
      term: 1,
      durability: .full,
      boot: "",
      schema: schema,
      history: history,
    )
    (header.first, header.before, header.total) = (first, sum, total)
    if first == 1 { header.initial = initial }
    let bytes = header.encode()
    let name = LogSegment(first: first, term: 1).name
    let file = try LogFile(making: "\(Self.draft(in: directory))/\(name)")
    try file.write(bytes, at: 0)
    segment = (file, header, bytes.count)
  }

  // MARK: Ending

  /// Completes the copy, and moves it to its place.
  ///
  /// - Parameter needsState: Whether a snapshot is required. Otherwise records must begin with a
  ///   known initial state.
  /// - Returns: The newest revision.
  /// - Throws: ``JournalError``, or ``HistoryError`` if a part is missing.
  package func finish(needsState: Bool = true) throws -> UInt64 {
    let hasBeginning = !needsState && initial != 0 && revisions?.lowerBound == 1
    guard !snapshots.isEmpty || hasBeginning else { throw HistoryError.withoutState() }
    if let pending { try write(pending) }
    let newest = snapshots.max() ?? 0
    if let revisions, !(revisions.lowerBound - 1...revisions.upperBound).contains(newest) {
      throw HistoryError(
        .corrupt,
        "The snapshot is of revision \(newest), and the records are of revisions "
          + "\(revisions.lowerBound) to \(revisions.upperBound).",
      )
    }
    if segment == nil {
      guard let newestSchema else { preconditionFailure("A snapshot has no schema") }
      try begin(newestSchema, at: newest + 1, hasRoomFor: 0)
    }
    let last = revisions?.upperBound ?? newest
    let key = segment?.header.key ?? 0
    try append(LogEntry.end(heading.wasStopped ? .end : .copied, behind: last, sum, key: key))
    try segment?.file.sync()
    let draft = Self.draft(in: directory)
    try DurableFile.syncDirectory(draft)
    try DurableFile.publish(draft, as: LogSegment.folder(in: directory))
    isFinished = true
    return last
  }

  /// Removes the files of an unfinished copy.
  private static func remove(from directory: String) {
    // Files that cannot be removed only keep the directory occupied.
    for path in [draft(in: directory), SnapshotFile.folder(in: directory)] {
      try? FileManager.default.removeItem(atPath: path)
    }
  }
}

extension JournalReader {
  /// The number of attempts to copy, if history that was to be copied is removed meanwhile.
  private static let copyAttempts = 3

  /// Copies a history to a directory, while a daemon may continue to write it.
  ///
  /// Each entry and each snapshot is verified. If data that no restart needs is damaged, the copy
  /// begins with the oldest snapshot after the damage.
  ///
  /// - Parameters:
  ///   - directory: An empty directory, or a new one, which is created.
  ///   - revision: The last revision to copy; nil for all current ones.
  ///   - onProgress: Called with the revision that was reached, and the last one.
  ///   - note: Called with the damage after which the copy begins.
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

  /// Returns the snapshot of a revision; nil if it cannot be read.
  private func readableSnapshot(of revision: UInt64) throws(HistoryError) -> HistoryPart? {
    do throws(HistoryError) {
      guard let part = try snapshot(upTo: revision), try part.snapshotRevision() == revision else {
        return nil
      }
      return part
    } catch {
      guard error.code == .corrupt else { throw error }
      return nil
    }
  }

  private func copy(
    _ extent: HistoryExtent,
    to directory: String,
    through revision: UInt64?,
    _ reached: inout UInt64,
    _ onProgress: (UInt64, UInt64) -> Void,
  ) throws -> UInt64 {
    if revision == nil, let damage { throw damage }
    let last = revision ?? extent.newest
    guard last <= extent.newest else { throw HistoryError.future(last, newest: extent.newest) }
    guard let oldest = extent.oldestState, last >= oldest else {
      guard extent.oldestState == nil else { throw HistoryError.gone(last, extent) }
      throw HistoryError.withoutState(noting: foreignNote)
    }
    var heading = try self.heading()
    if last < extent.newest { heading.wasStopped = false }
    let copy = try JournalCopy(heading, to: directory)
    if extent.beforeRecords == 0 { copy.initial = try initial }
    reached = extent.beforeRecords
    defer { reached = max(reached, copy.newest) }
    for revision in extent.snapshots where revision <= last {
      // An unreadable snapshot is not needed if another one is readable.
      guard let part = try readableSnapshot(of: revision) else { continue }
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
