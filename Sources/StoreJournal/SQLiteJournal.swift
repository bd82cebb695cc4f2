import Dispatch
package import StoreReplication

/// A journal in a directory, written on a thread of its own.
@MainActor
package final class SQLiteJournal: Journal {
  private let file: JournalFile
  private let retained: Int
  /// Everything but encoding is done here, one thing after the other.
  private let queue = DispatchQueue(label: "storeactor.journal", qos: .userInitiated)
  private let encoding = DispatchQueue(label: "storeactor.snapshots", qos: .utility)
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
      let result = file.append(batch)
      report(result)
      guard isCheckpointDue, let reason = file.checkpoint() else { return }
      report(.failed(reason))
    }
  }

  package func store(_ snapshot: JournalSnapshot) {
    encoding.async { [file, retained, queue, self] in
      let bytes = snapshot.encoded()
      queue.async { [self] in
        do throws(JournalError) {
          try file.write(bytes, of: snapshot.revision)
          report(.stored(revision: snapshot.revision, problem: nil))
          discard(file, retained)
        } catch {
          report(.stored(revision: snapshot.revision, problem: "\(error)"))
        }
      }
    }
  }

  /// Lets go of old history piece by piece, so that appends go in between.
  private nonisolated func discard(_ file: JournalFile, _ retained: Int) {
    queue.async { [self] in
      do throws(JournalError) {
        if try file.discard(retaining: retained) { discard(file, retained) }
      } catch {
        report(.stored(revision: 0, problem: "\(error)"))
      }
    }
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
    let error = queue.sync { () -> JournalError? in
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
