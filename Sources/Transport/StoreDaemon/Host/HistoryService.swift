import Dispatch
import StoreHistory
import StoreJournal
import StoreProtocol
import StoreServer
import Synchronization

/// Answers questions about the history on its own queue, one after the other.
///
/// Holders take turns, by the costs of their questions.
final class HistoryService: Sendable {
  /// The seconds for which a question's leftover is kept for the next one: a client that lists a
  /// log asks at once, and one that follows it several times a second.
  private static let patience = 5

  private let directory: String
  private let queue = DispatchQueue(label: "storeactor.history", qos: .utility)
  /// Opened with the first question.
  private let reader = Mutex<MeteredSource?>(nil)
  private typealias Question = (
    job: HistoryJob, body: @MainActor @Sendable (HistoryJob.Result) -> Void
  )
  private let waiting = Mutex(FairQueue<Holder, PeerID, Question>())
  /// The leftover of the last question, and the number of questions so far.
  private let left = Mutex<(value: (any Sendable)?, count: Int)>((nil, 0))

  init(directory: String) { self.directory = directory }

  /// Answers a question, and calls `body` with the answer on the main thread.
  func answer(
    _ job: HistoryJob,
    _ body: @escaping @MainActor @Sendable (HistoryJob.Result) -> Void,
  ) {
    waiting.withLock { $0.append((job, body), from: job.peer, of: job.holder, cost: job.cost) }
    // One block per question; each block answers the question that is next by then.
    queue.async { [self] in
      guard let (job, body) = waiting.withLock({ $0.popFirst() }) else { return }
      let result = run(job)
      DispatchQueue.main.async { MainActor.assumeIsolated { body(result) } }
    }
  }

  private func run(_ job: HistoryJob) -> HistoryJob.Result {
    do throws(JournalError) {
      let reader = try opened()
      let (kept, count) = left.withLock { left in
        left.count += 1
        defer { left.value = nil }
        return left
      }
      var value = kept
      let result = job.run(reader, &value)
      left.withLock { [value] in $0.value = value }
      queue.asyncAfter(deadline: .now() + .seconds(Self.patience)) { [self, count] in
        left.withLock { if $0.count == count { $0.value = nil } }
      }
      return result
    } catch {
      return job.failed(HistoryError(.unavailable, "\(error)"))
    }
  }

  private func opened() throws(JournalError) -> MeteredSource {
    if let reader = reader.withLock({ $0 }) { return reader }
    let opened = MeteredSource(try JournalReader.whole(directory: directory))
    reader.withLock { $0 = opened }
    return opened
  }
}
