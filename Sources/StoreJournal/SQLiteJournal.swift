import Dispatch
package import StoreReplication
import Synchronization

/// A journal in a directory, written on a thread of its own.
@MainActor
package final class SQLiteJournal: Journal {
  private nonisolated let file: JournalFile
  private let retained: Int
  /// Everything but encoding is done here, one thing after the other.
  private nonisolated let queue = DispatchQueue(label: "storeactor.journal", qos: .userInitiated)
  private let encoding = DispatchQueue(label: "storeactor.snapshots", qos: .utility)
  /// Whether nothing further may be written: it was closed, or has failed.
  private nonisolated let isOver = Mutex(false)
  /// Is handed what became of each call.
  package var onResult: (JournalResult) -> Void = { _ in }
  /// Bytes that were appended since the last checkpoint.
  private var sinceCheckpoint = 0

  /// What SQLite writes for an append, besides its bytes.
  private static let bytesPerAppend = 8 << 10
  /// A checkpoint of so much takes some milliseconds.
  private static let bytesPerCheckpoint = 4 << 20

  /// Writes to a file that has been read.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - retained: The bytes of old records that are kept beyond those that are needed.
  package init(_ file: JournalFile, retaining retained: Int) {
    self.file = file
    self.retained = retained
  }

  package func append(_ batch: JournalBatch) {
    sinceCheckpoint += batch.records.count + Self.bytesPerAppend
    let isCheckpointDue = sinceCheckpoint >= Self.bytesPerCheckpoint
    if isCheckpointDue { sinceCheckpoint = 0 }
    queue.async { [file, self] in
      guard !isOver.withLock({ $0 }) else { return }
      let result = file.append(batch)
      var reason: String?
      if case .durable = result, isCheckpointDue { reason = file.checkpoint() }
      if case .failed(let why) = result { reason = why }
      // What the disk holds is not known any more: nothing further is written by this process.
      if let reason { fail(reason) } else { report(result) }
    }
  }

  package func store(_ snapshot: JournalSnapshot) {
    encoding.async { [file, retained, queue, self] in
      let bytes = snapshot.encoded()
      queue.async { [self] in
        guard !isOver.withLock({ $0 }) else { return }
        do throws(JournalError) {
          try file.write(bytes, of: snapshot.revision)
          report(.stored(revision: snapshot.revision, problem: nil))
          discard(try file.excess(retaining: retained))
        } catch {
          report(.stored(revision: snapshot.revision, problem: "\(error)"))
        }
      }
    }
  }

  /// Lets go of old history piece by piece, so that appends go in between.
  private nonisolated func discard(_ excess: Int) {
    guard excess > 0 else { return }
    queue.async { [file, self] in
      guard !isOver.withLock({ $0 }) else { return }
      do throws(JournalError) {
        discard(try file.discard(excess))
      } catch {
        report(.stored(revision: 0, problem: "\(error)"))
      }
    }
  }

  private nonisolated func fail(_ reason: String) {
    isOver.withLock { $0 = true }
    report(.failed(reason))
  }

  private nonisolated func report(_ result: JournalResult) {
    DispatchQueue.main.async {
      MainActor.assumeIsolated { self.onResult(result) }
    }
  }

  /// Waits for what is under way, and says in the file that the daemon has ended.
  package func close() throws(JournalError) {
    onResult = { _ in }
    let file = file
    let error = queue.sync { [self] () -> JournalError? in
      isOver.withLock { $0 = true }
      do throws(JournalError) {
        try file.close()
        return nil
      } catch {
        return error
      }
    }
    if let error { throw error }
  }
}
