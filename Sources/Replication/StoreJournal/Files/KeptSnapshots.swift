import Synchronization

/// The snapshots in a data directory, without those of other histories.
///
/// A user may have put a file of another history there. It is skipped, reported and kept. The
/// results of checks are remembered. May be used by several threads.
final class KeptSnapshots: Sendable {
  private let directory: String
  /// The history of the log; 0 if it is unknown.
  private let history: UInt64
  private let known = Mutex(Known())

  /// The results of checks, by revision.
  private struct Known {
    var own: Set<UInt64> = []
    /// Their trailers name no other history; their checksums were not verified.
    var fitting: Set<UInt64> = []
    /// Their files are of other histories.
    var foreign: Set<UInt64> = []
    /// Their first files belong to other histories, and their second files do not.
    var taken: Set<UInt64> = []
    /// Both files are damaged.
    var damaged: Set<UInt64> = []
    /// The first file is damaged, and the second one is intact.
    var copies: Set<UInt64> = []
    /// From earlier revisions the log does not lead to its end.
    var firstUsable: UInt64 = 0
  }

  init(in directory: String, of history: UInt64) {
    self.directory = directory
    self.history = history
  }

  /// The revisions that have snapshots of this history, newest first; some may be damaged.
  func revisions(upTo revision: UInt64 = .max) throws(JournalError) -> [UInt64] {
    var (own, sums) = ([UInt64](), LogSums(in: directory))
    for found in try SnapshotFile.revisions(in: directory, upTo: revision)
    where try !isForeign(found, &sums) {
      own.append(found)
    }
    return own
  }

  /// The same without the snapshots that are known to be damaged.
  func readable(upTo revision: UInt64 = .max) throws(JournalError) -> [UInt64] {
    let damaged = known.withLock { $0.damaged }
    return try revisions(upTo: revision).filter { !damaged.contains($0) }
  }

  /// The same without snapshots from which the log does not lead to its end.
  func usable(upTo revision: UInt64 = .max) throws(JournalError) -> [UInt64] {
    let first = known.withLock { $0.firstUsable }
    return try readable(upTo: revision).filter { $0 >= first }
  }

  /// Notes that the log between an earlier snapshot and this revision is damaged.
  func noteDamage(before revision: UInt64) {
    known.withLock { $0.firstUsable = max($0.firstUsable, revision) }
  }

  /// The revisions of ``readable(upTo:)``, and one after the end of the log only if a readable file
  /// proves that history reached it.
  func revisions(readableBehind last: UInt64) throws(JournalError) -> [UInt64] {
    guard let newest = try newestRevision(readableBehind: last) else { return [] }
    return try revisions(upTo: newest)
  }

  /// The newest of these revisions; older ones are not checked.
  func newestRevision(readableBehind last: UInt64) throws(JournalError) -> UInt64? {
    var sums = LogSums(in: directory)
    for found in try SnapshotFile.revisions(in: directory) {
      if try isForeign(found, &sums) { continue }
      if found <= last { return found }
      if try read(found, &sums) != nil { return found }
    }
    return nil
  }

  /// Reads the newest intact snapshot.
  func newest(
    upTo revision: UInt64 = .max
  ) throws(JournalError) -> (revision: UInt64, contents: SnapshotFile.Contents)? {
    var sums = LogSums(in: directory)
    for found in try revisions(upTo: revision) {
      if let contents = try read(found, &sums) { return (found, contents) }
    }
    return nil
  }

  /// Reads the snapshot of a revision.
  ///
  /// - Returns: Nil if there is no intact file of this history.
  func read(_ revision: UInt64) throws(JournalError) -> SnapshotFile.Contents? {
    var sums = LogSums(in: directory)
    return try read(revision, &sums)
  }

  private func read(
    _ revision: UInt64,
    _ sums: inout LogSums,
  ) throws(JournalError) -> SnapshotFile.Contents? {
    var isForeign = false
    for isCopy in [false, true] {
      let path = SnapshotFile.path(of: revision, in: directory, isCopy: isCopy)
      guard var contents = try SnapshotFile.read(path, revision) else { continue }
      if try self.isForeign(contents.fields, revision, &sums) {
        isForeign = true
        continue
      }
      contents.isCopy = isCopy
      note(own: revision, isCopy: isCopy)
      if isForeign { known.withLock { _ = $0.taken.insert(revision) } }
      return contents
    }
    known.withLock {
      _ = isForeign ? $0.foreign.insert(revision) : $0.damaged.insert(revision)
    }
    return nil
  }

  /// Notes that a file of a revision is intact.
  func note(own revision: UInt64, isCopy: Bool = false) {
    known.withLock {
      $0.own.insert(revision)
      if $0.foreign.remove(revision) != nil { $0.taken.insert(revision) }
      $0.damaged.remove(revision)
      $0.copies.remove(revision)
      if isCopy { $0.copies.insert(revision) }
    }
  }

  /// The files of other histories, as far as files were checked.
  var foreign: [String] {
    let revisions = known.withLock { $0.foreign.union($0.taken) }
    return revisions.sorted().map { SnapshotFile.path(of: $0, in: directory) }
  }

  /// Returns whether a revision has only files of another history.
  func isForeign(_ revision: UInt64) throws(JournalError) -> Bool {
    var sums = LogSums(in: directory)
    return try isForeign(revision, &sums)
  }

  private func isForeign(
    _ revision: UInt64,
    _ sums: inout LogSums,
  ) throws(JournalError) -> Bool {
    let known = known.withLock { $0 }
    if known.foreign.contains(revision) { return true }
    if [known.own, known.damaged, known.fitting].contains(where: { $0.contains(revision) }) {
      return false
    }
    var isForeign = false
    for isCopy in [false, true] {
      let path = SnapshotFile.path(of: revision, in: directory, isCopy: isCopy)
      // The checksum is not verified: a foreign file is not read.
      guard let fields = try SnapshotFile.fields(path, revision) else { continue }
      guard try self.isForeign(fields, revision, &sums) else {
        self.known.withLock { _ = $0.fitting.insert(revision) }
        return false
      }
      isForeign = true
    }
    if isForeign { self.known.withLock { _ = $0.foreign.insert(revision) } }
    return isForeign
  }

  /// Returns whether a file's fields name another history.
  func isForeign(
    _ fields: SnapshotFile.Fields,
    _ revision: UInt64,
    _ sums: inout LogSums,
  ) throws(JournalError) -> Bool {
    if fields.history != 0, history != 0, fields.history != history { return true }
    guard let sum = fields.sum, let kept = try sums.sum(at: revision) else { return false }
    return sum != kept
  }

  /// Returns the files that are not needed beside the newest readable snapshots: older and
  /// unreadable files, and second files if there are enough first ones.
  ///
  /// - Parameter count: The number of revisions to keep.
  /// - Returns: Their paths.
  /// - Throws: ``JournalError``.
  func unneeded(keeping count: Int) throws(JournalError) -> [String] {
    let kept = Set(try usable().prefix(count))
    let (taken, firstUsable) = known.withLock { ($0.taken, $0.firstUsable) }
    let damaged = known.withLock { $0.damaged }
    var (files, sums) = ([String](), LogSums(in: directory))
    for file in try SnapshotFile.all(in: directory) {
      guard let revision = file.revision, try !isForeign(revision, &sums),
        file.isCopy || !taken.contains(revision)
      else { continue }
      let isSecond = file.isCopy && kept.count >= count
      // Without two usable ones, an older state is better than none.
      if kept.count < count, revision < firstUsable, !damaged.contains(revision) { continue }
      if !kept.contains(revision) || isSecond && !needsCopy(revision) { files.append(file.path) }
    }
    return files
  }

  /// Returns whether the second file of a revision is the only usable one.
  private func needsCopy(_ revision: UInt64) -> Bool {
    known.withLock { $0.copies.contains(revision) }
  }
}
