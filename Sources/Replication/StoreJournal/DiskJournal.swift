import Dispatch
import Foundation
package import StoreHistory
import Synchronization

/// A journal in a directory, written on threads of its own.
///
/// Records are appended on one, where each call waits for the disk. Snapshots are encoded and
/// written on another one; only that there is one is noted on the first.
@MainActor
package final class DiskJournal: Journal {
  private nonisolated let file: JournalDirectory
  private nonisolated let retention: Retention
  private nonisolated let queue = DispatchQueue(label: "storeactor.journal", qos: .userInitiated)
  private nonisolated let encoding = DispatchQueue(label: "storeactor.snapshots", qos: .utility)
  /// Whether nothing further may be written: it was closed, or has failed.
  private nonisolated let isOver = Mutex(false)
  /// Is handed what became of each call.
  package var onResult: (JournalResult) -> Void = { _ in }
  /// How many results were not handed over yet.
  private nonisolated let results = Atomic(0)
  /// Why it has failed; nil where it has not.
  private nonisolated let failure = Mutex<JournalError?>(nil)
  /// The checksums of the entries of the last batches.
  private nonisolated let marks = Mutex<[(revision: UInt64, mark: UInt64?)]>([])
  /// Whether a sync is to come, of what was appended without one.
  private nonisolated let isSyncDue = Mutex(false)

  /// How long it waits before it is tried again to note another epoch.
  private nonisolated static let retryDelay = DispatchTimeInterval.seconds(1)
  /// How long the disk is left to others between two pieces of room.
  private nonisolated static let pause = DispatchTimeInterval.milliseconds(2)
  /// How long what is not synced at once waits for that.
  private nonisolated static let syncDelay = DispatchTimeInterval.seconds(1)

  /// Writes to a file that has been read, and begun.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - retention: What is kept of old records beyond those that are needed.
  package init(_ file: JournalDirectory, _ retention: Retention) {
    self.file = file
    self.retention = retention
    // What became too old, or is too much by now, while nobody wrote.
    trim()
    completeSnapshots()
  }

  /// The file that is written, where it has been removed; nil where it has not.
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

  /// Notes what a snapshot of a revision comes behind.
  ///
  /// A snapshot is of the last batch that was made durable, or, while the next one is on its way,
  /// the one before.
  private nonisolated func noteMark(at revision: UInt64) {
    let mark = file.mark(at: revision)
    marks.withLock { $0 = $0.suffix(1) + [(revision, mark)] }
  }

  private nonisolated func mark(at revision: UInt64) -> UInt64? {
    marks.withLock { $0.last { $0.revision == revision }?.mark } ?? file.mark(at: revision)
  }

  /// Nothing more can be written, for a reason.
  private nonisolated static func end(_ error: JournalError) -> JournalResult {
    error.code == .fenced ? .fenced(error.message) : .failed(error.message)
  }

  /// Does something that takes room, and again at once where old history made some.
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

  /// Makes room for the next segment while this one is written, bit by bit, so that no commit
  /// waits for long.
  private nonisolated func prepare() {
    encoding.asyncAfter(deadline: .now() + Self.pause) { [file, self] in
      guard !isOver.withLock({ $0 }) else { return }
      if file.prepare() { prepare() }
    }
  }

  /// Syncs what was appended, a while after the first that was not.
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

  /// Nobody is answered before it is noted, so it is tried until it is.
  private nonisolated func renew(epoch: UInt64, isAgain: Bool) {
    write { [file, queue, self] in
      do throws(JournalError) {
        try withRoom { () throws(JournalError) in try file.renew(epoch: epoch) }
        return .renewed(epoch: epoch)
      } catch {
        // It is tried again by the next daemon, which a client tells the same.
        guard error.code.isForNow else { return Self.end(error) }
        queue.asyncAfter(deadline: .now() + Self.retryDelay) {
          self.renew(epoch: epoch, isAgain: true)
        }
        return isAgain ? nil : .unrenewed(error.message)
      }
    }
  }

  package func store(_ snapshot: JournalSnapshot) {
    // Behind what was appended before.
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

  /// Lets go of what a snapshot that was written stands for.
  private nonisolated func letGo() {
    write { [file, self] in
      do throws(JournalError) {
        let gone = try file.unneededSnapshots()
        Failpoint.reach(.afterSnapshot)
        // A large file takes its time to go.
        encoding.async { JournalDirectory.remove(gone) }
        trim()
        return .snapshot(problem: nil)
      } catch {
        return error.code.isForNow ? .snapshot(problem: error.message) : Self.end(error)
      }
    }
  }

  /// Makes the second file of the only snapshot again, where it is missing.
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

  /// Lets go of old history piece by piece, so that appends go in between.
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

  /// Does something behind all that was asked for before, and says what became of it.
  ///
  /// After a failure nothing further is done, for what the disk holds is not known any more.
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

  /// Waits for what is under way, and says in the file that the daemon has ended.
  ///
  /// - Parameters:
  ///   - snapshot: What is kept before that; nil for nothing.
  ///   - time: How long it waits: a disk that takes longer is broken.
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
      // A snapshot that takes too long is left out: the daemon has ended all the same.
      queue.asyncAfter(deadline: .now() + time / .seconds(2)) { [self] in end(ending) }
    } else {
      queue.async { [self] in end(ending) }
    }
    guard ending.wait(until: Date(timeIntervalSinceNow: time / .seconds(1))) else {
      throw JournalError(
        .system,
        "The disk that has \(file.directory) did not answer within \(time). What clients were told "
          + "is kept.",
      )
    }
    if let error = ending.error { throw error }
  }

  private nonisolated func end(_ ending: Ending) {
    guard ending.begins() else { return }
    isOver.withLock { $0 = true }
    // What is not known to be kept must not look like a clean end.
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

  /// What became of closing the file; nobody may be there any more to take it.
  private final class Ending: Sendable {
    /// Nil until it is known; guarded by its mutex.
    private let result = Mutex<Result<Void, JournalError>?>(nil)
    private let condition = NSCondition()
    private let hasBegun = Atomic(false)

    /// Whether nobody has begun it before.
    func begins() -> Bool { !hasBegun.exchange(true, ordering: .relaxed) }

    func finish(_ error: JournalError? = nil) {
      condition.lock()
      defer { condition.unlock() }
      result.withLock { $0 = error.map { .failure($0) } ?? .success(()) }
      condition.broadcast()
    }

    /// - Returns: False where it is not known by then.
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
