import Dispatch
import StoreJournal
import StoreReplication
import Synchronization

/// Answers questions about the history on a thread of its own, one after the other.
final class HistoryService: Sendable {
  private let directory: String
  private let queue = DispatchQueue(label: "storeactor.history", qos: .utility)
  /// Opened with the first question.
  private let reader = Mutex<JournalReader?>(nil)

  init(directory: String) { self.directory = directory }

  /// Answers a question, and passes on the answer on the main thread.
  func answer(
    _ job: HistoryJob,
    _ body: @escaping @MainActor @Sendable (HistoryJob.Result) -> Void,
  ) {
    queue.async { [self] in
      let result = run(job)
      DispatchQueue.main.async { MainActor.assumeIsolated { body(result) } }
    }
  }

  private func run(_ job: HistoryJob) -> HistoryJob.Result {
    do throws(JournalError) {
      return job.run(try opened())
    } catch {
      return job.failed(HistoryError(.unavailable, "\(error)"))
    }
  }

  private func opened() throws(JournalError) -> JournalReader {
    if let reader = reader.withLock({ $0 }) { return reader }
    let opened = try JournalReader(directory: directory)
    reader.withLock { $0 = opened }
    return opened
  }
}
