import Synchronization

/// The snapshots in a data directory, told from those of other histories.
///
/// Somebody has put such a file there: it is passed over and named, it counts for nothing, and
/// stays. What was found is remembered. May be used by several threads.
final class KeptSnapshots: Sendable {
  private let directory: String
  /// The history of the log; 0 where that is not known.
  private let history: UInt64
  private let known = Mutex(Known())

  /// What was found, by revision.
  private struct Known {
    var own: Set<UInt64> = []
    /// What their files say is not of another history; whether they are whole is not known.
    var fitting: Set<UInt64> = []
    /// Their files are of other histories.
    var foreign: Set<UInt64> = []
    /// Their first files are of other histories, and the second ones are not.
    var taken: Set<UInt64> = []
    /// Neither of the two files is as it was written.
    var damaged: Set<UInt64> = []
    /// The first file is not as it was written, and the second one is.
    var copies: Set<UInt64> = []
  }

  init(in directory: String, of history: UInt64) {
    self.directory = directory
    self.history = history
  }

  /// The revisions of which there are snapshots of this history, newest first; some of them may be
  /// damaged.
  func revisions(upTo revision: UInt64 = .max) throws(JournalError) -> [UInt64] {
    var (own, sums) = ([UInt64](), LogSums(in: directory))
    for found in try SnapshotFile.revisions(in: directory, upTo: revision)
    where try !isForeign(found, &sums) {
      own.append(found)
    }
    return own
  }

  /// The same without those that are known to be damaged.
  func readable(upTo revision: UInt64 = .max) throws(JournalError) -> [UInt64] {
    let damaged = known.withLock { $0.damaged }
    return try revisions(upTo: revision).filter { !damaged.contains($0) }
  }

  /// The same; of a revision behind the end of the log only where a file can be read, which says
  /// that history went beyond it.
  func revisions(readableBehind last: UInt64) throws(JournalError) -> [UInt64] {
    guard let newest = try newestRevision(readableBehind: last) else { return [] }
    return try revisions(upTo: newest)
  }

  /// The newest of these revisions; older ones are not looked at.
  func newestRevision(readableBehind last: UInt64) throws(JournalError) -> UInt64? {
    var sums = LogSums(in: directory)
    for found in try SnapshotFile.revisions(in: directory) {
      if try isForeign(found, &sums) { continue }
      if found <= last { return found }
      if try read(found, &sums) != nil { return found }
    }
    return nil
  }

  /// The newest that is as it was written.
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
  /// - Returns: Nil where no file of this history is there and as it was written.
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

  /// Notes that a file of a revision is as it was written.
  func note(own revision: UInt64, isCopy: Bool = false) {
    known.withLock {
      $0.own.insert(revision)
      if $0.foreign.remove(revision) != nil { $0.taken.insert(revision) }
      $0.damaged.remove(revision)
      $0.copies.remove(revision)
      if isCopy { $0.copies.insert(revision) }
    }
  }

  /// The files that are of other histories, of those that were looked at.
  var foreign: [String] {
    let revisions = known.withLock { $0.foreign.union($0.taken) }
    return revisions.sorted().map { SnapshotFile.path(of: $0, in: directory) }
  }

  /// Whether a revision has a file of another history only.
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
      // Its checksum is not looked at: who is not ours is not read.
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

  /// Whether what a file says is of another history.
  func isForeign(
    _ fields: SnapshotFile.Fields,
    _ revision: UInt64,
    _ sums: inout LogSums,
  ) throws(JournalError) -> Bool {
    if fields.history != 0, history != 0, fields.history != history { return true }
    guard let sum = fields.sum, let kept = try sums.sum(at: revision) else { return false }
    return sum != kept
  }

  /// The files that nobody needs besides the newest that can be read: of older ones, those that
  /// cannot be read, and second files where there are enough first ones.
  ///
  /// - Parameter count: How many revisions are kept.
  /// - Returns: Their paths.
  /// - Throws: ``JournalError``.
  func unneeded(keeping count: Int) throws(JournalError) -> [String] {
    let kept = Set(try readable().prefix(count))
    let taken = known.withLock { $0.taken }
    var (files, sums) = ([String](), LogSums(in: directory))
    for file in try SnapshotFile.all(in: directory) {
      guard let revision = file.revision, try !isForeign(revision, &sums),
        file.isCopy || !taken.contains(revision)
      else { continue }
      let isSecond = file.isCopy && kept.count >= count
      if !kept.contains(revision) || isSecond && !needsCopy(revision) { files.append(file.path) }
    }
    return files
  }

  /// Whether the second file of a revision is the only one that can be used.
  private func needsCopy(_ revision: UInt64) -> Bool {
    known.withLock { $0.copies.contains(revision) }
  }
}
