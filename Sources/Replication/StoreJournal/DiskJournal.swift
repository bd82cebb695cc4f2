import Dispatch
import Foundation
package import StoreHistory
import Synchronization

/// A journal in a directory, written on its own threads.
///
/// One thread appends records, and each call waits for the disk. Another thread encodes and writes
/// snapshots; the first thread then records that a snapshot exists.
@MainActor
package final class DiskJournal: Journal {
  private nonisolated let file: JournalDirectory
  private nonisolated let retention: Retention
  private nonisolated let queue = DispatchQueue(label: "storeactor.journal", qos: .userInitiated)
  private nonisolated let encoding = DispatchQueue(label: "storeactor.snapshots", qos: .utility)
  /// Whether writing has ended, because the journal was closed or has failed.
  private nonisolated let isOver = Mutex(false)
  /// Receives the result of each call.
  package var onResult: (JournalResult) -> Void = { _ in }
  /// The number of results that are not yet delivered.
  private nonisolated let results = Atomic(0)
  /// The error that ended writing; nil if there is no error.
  private nonisolated let failure = Mutex<JournalError?>(nil)
  /// The checksums of the entries of the last batches.
  private nonisolated let marks = Mutex<[(revision: UInt64, mark: UInt64?)]>([])
  /// Whether a delayed sync is scheduled.
  private nonisolated let isSyncDue = Mutex(false)

  /// The delay before a failed renewal of the epoch is retried.
  private nonisolated static let retryDelay = DispatchTimeInterval.seconds(1)
  /// The pause between two pieces of prepared room, in which others may use the disk.
  private nonisolated static let pause = DispatchTimeInterval.milliseconds(2)
  /// The delay before appended records are synced, unless each append is synced.
  private nonisolated static let syncDelay = DispatchTimeInterval.seconds(1)

  /// Writes to an opened journal.
  ///
  /// - Parameters:
  ///   - file: The journal.
  ///   - retention: The limits for old records that no restart needs.
  package init(_ file: JournalDirectory, _ retention: Retention) {
    self.file = file
    self.retention = retention
    // The retention may have been exceeded while no daemon was running.
    trim()
    completeSnapshots()
  }

  /// The path of the written file if it was removed; nil while it exists.
  package nonisolated var lostPath: String? { file.lostPath }

  package var hasResult: Bool { results.load(ordering: .relaxed) > 0 }

  package func append(_ batch: JournalBatch) {
    write { [file, self] in
      do throws(JournalError) {
        Failpoint.reach(.beforeCommit)
        let needsRoom = try withRoom { () throws(JournalError) in try file.append(batch) }
        noteMark(at: batch.revisions.upperBound)
        Failpoint.reach(.afterCommit)
        if needsRoom { prepare() }
        syncSoon()
        return .durable(through: batch.revisions.upperBound)
      } catch {
        return error.code.isForNow ? .retryLater(error.message) : Self.end(error)
      }
    }
  }

  /// Remembers the checksum of the entry that ends at a revision, for a snapshot of that revision.
  ///
  /// A snapshot belongs to the last durable batch, or to the one before while the next batch is
  /// being written.
  private nonisolated func noteMark(at revision: UInt64) {
    let mark = file.mark(at: revision)
    marks.withLock { $0 = $0.suffix(1) + [(revision, mark)] }
  }

  private nonisolated func mark(at revision: UInt64) -> UInt64? {
    marks.withLock { $0.last { $0.revision == revision }?.mark } ?? file.mark(at: revision)
  }

  /// Returns the result that ends writing for a reason.
  private nonisolated static func end(_ error: JournalError) -> JournalResult {
    error.code == .fenced ? .fenced(error.message) : .failed(error.message)
  }

  /// Calls a function that needs room, and calls it again if removed history made room.
  private nonisolated func withRoom<Result>(
    _ body: () throws(JournalError) -> Result
  ) throws(JournalError) -> Result {
    do throws(JournalError) {
      return try body()
    } catch  where error.code == .full {
      guard try file.makeRoom() else { throw error }
      return try body()
    }
  }

  /// Fills the room for the next segment piece by piece while this one is written, so that no
  /// commit waits for long.
  private nonisolated func prepare() {
    encoding.asyncAfter(deadline: .now() + Self.pause) { [file, self] in
      guard !isOver.withLock({ $0 }) else { return }
      if file.prepare() { prepare() }
    }
  }

  /// Syncs appended records once, a fixed delay after the first that was not synced.
  private nonisolated func syncSoon() {
    guard file.isSyncedLater, !isSyncDue.withLock({ $0 }) else { return }
    isSyncDue.withLock { $0 = true }
    queue.asyncAfter(deadline: .now() + Self.syncDelay) { [file, self] in
      isSyncDue.withLock { $0 = false }
      guard !isOver.withLock({ $0 }) else { return }
      do throws(JournalError) {
        try file.sync()
      } catch {
        finish(.failed(error.message))
      }
    }
  }

  package func renew(epoch: UInt64) { renew(epoch: epoch, isAgain: false) }

  /// Retries until the epoch is recorded, because no client is answered before that.
  private nonisolated func renew(epoch: UInt64, isAgain: Bool) {
    write { [file, queue, self] in
      do throws(JournalError) {
        try withRoom { () throws(JournalError) in try file.renew(epoch: epoch) }
        return .renewed(epoch: epoch)
      } catch {
        // The next daemon retries: clients report the same epoch to it.
        guard error.code.isForNow else { return Self.end(error) }
        queue.asyncAfter(deadline: .now() + Self.retryDelay) {
          self.renew(epoch: epoch, isAgain: true)
        }
        return isAgain ? nil : .unrenewed(error.message)
      }
    }
  }

  package func store(_ snapshot: JournalSnapshot) {
    // The mark exists only after the earlier appends.
    queue.async { [encoding, self] in
      let mark = mark(at: snapshot.revision)
      encoding.async { [file, self] in
        guard !isOver.withLock({ $0 }) else { return }
        do throws(JournalError) {
          try file.write(snapshot.encoded(), of: snapshot.revision, after: mark)
          letGo()
        } catch {
          finish(error.code.isForNow ? .snapshot(problem: error.message) : .failed(error.message))
        }
      }
    }
  }

  /// Removes the snapshots and the history that a written snapshot replaces.
  private nonisolated func letGo() {
    write { [file, self] in
      do throws(JournalError) {
        let gone = try file.unneededSnapshots()
        Failpoint.reach(.afterSnapshot)
        // Removing a large file takes long.
        encoding.async { JournalDirectory.remove(gone) }
        trim()
        return .snapshot(problem: nil)
      } catch {
        return error.code.isForNow ? .snapshot(problem: error.message) : Self.end(error)
      }
    }
  }

  /// Recreates the second file of the only snapshot if it is missing.
  private nonisolated func completeSnapshots() {
    encoding.async { [file, self] in
      guard !isOver.withLock({ $0 }) else { return }
      do throws(JournalError) {
        try file.completeSnapshots()
      } catch {
        finish(error.code.isForNow ? .snapshot(problem: error.message) : .failed(error.message))
      }
    }
  }

  /// Removes old history piece by piece, so that appends run in between.
  private nonisolated func trim() {
    write { [file, retention, self] in
      do throws(JournalError) {
        let isMore = try file.trim(retention, at: JournalDirectory.wallMilliseconds)
        if isMore { trim() }
        return nil
      } catch {
        return error.code.isForNow ? .untrimmed(error.message) : Self.end(error)
      }
    }
  }

  /// Runs a function after all earlier requests, and delivers its result.
  ///
  /// After a failure no further function runs, because the contents of the disk are unknown.
  private nonisolated func write(_ body: @escaping @Sendable () -> JournalResult?) {
    queue.async { [self] in
      guard !isOver.withLock({ $0 }), let result = body() else { return }
      finish(result)
    }
  }

  private nonisolated func finish(_ result: JournalResult) {
    switch result {
    case .failed(let reason): fail(JournalError(.system, reason))
    case .fenced(let reason): fail(JournalError(.fenced, reason))
    default: break
    }
    results.add(1, ordering: .relaxed)
    DispatchQueue.main.async {
      MainActor.assumeIsolated {
        self.results.subtract(1, ordering: .relaxed)
        self.onResult(result)
      }
    }
  }

  private nonisolated func fail(_ error: JournalError) {
    isOver.withLock { $0 = true }
    failure.withLock { $0 = error }
  }

  /// Waits for pending writes, and records in the file that the daemon has ended.
  ///
  /// - Parameters:
  ///   - snapshot: A snapshot that is stored first; nil for no snapshot.
  ///   - time: The longest wait: a disk that takes longer is broken.
  /// - Throws: ``JournalError``.
  package func close(
    keeping snapshot: JournalSnapshot? = nil,
    within time: Duration,
  ) throws(JournalError) {
    onResult = { _ in }
    let ending = Ending()
    if let snapshot {
      store(snapshot)
      queue.async { [encoding, queue, self] in
        encoding.async { queue.async { [self] in end(ending) } }
      }
      // A snapshot that takes too long is omitted: the daemon ends in any case.
      queue.asyncAfter(deadline: .now() + time / .seconds(2)) { [self] in end(ending) }
    } else {
      queue.async { [self] in end(ending) }
    }
    guard ending.wait(until: Date(timeIntervalSinceNow: time / .seconds(1))) else {
      throw JournalError(
        .system,
        "The disk that has \(file.directory) did not answer within \(time). All sent outcomes "
          + "are kept.",
      )
    }
    if let error = ending.error { throw error }
  }

  private nonisolated func end(_ ending: Ending) {
    guard ending.begins() else { return }
    isOver.withLock { $0 = true }
    // Without this, unconfirmed records would look like a clean end.
    if let failure = failure.withLock({ $0 }) {
      return ending.finish(failure)
    }
    do throws(JournalError) {
      try file.close()
    } catch {
      return ending.finish(error)
    }
    ending.finish()
  }

  /// The result of closing the file.
  ///
  /// Its waiter may have given up.
  private final class Ending: Sendable {
    /// Nil until the file is closed; guarded by its mutex.
    private let result = Mutex<Result<Void, JournalError>?>(nil)
    private let condition = NSCondition()
    private let hasBegun = Atomic(false)

    /// Returns true for the first call only.
    func begins() -> Bool { !hasBegun.exchange(true, ordering: .relaxed) }

    func finish(_ error: JournalError? = nil) {
      condition.lock()
      defer { condition.unlock() }
      result.withLock { $0 = error.map { .failure($0) } ?? .success(()) }
      condition.broadcast()
    }

    /// - Returns: False if there is no result by the date.
    func wait(until date: Date) -> Bool {
      condition.lock()
      defer { condition.unlock() }
      while result.withLock({ $0 == nil }) {
        if !condition.wait(until: date) { return false }
      }
      return true
    }

    var error: JournalError? {
      result.withLock { if case .failure(let error)? = $0 { error } else { nil } }
    }
  }
}
