import DequeModule
import StoreActor
import StoreProtocol

/// A session's actions: their outcomes, and which of these are still to be sent.
@MainActor
final class SessionActions {
  var record: ClientRecord
  /// Outcomes to be sent, in this order.
  ///
  /// Bounded by ``Limits/window``, and each one's message by the type of failures.
  @exclusivity(unchecked) var unsaid: Deque<Answer> = []
  /// Actions refused as overloaded, which do not depend on the state and are sent first: at the end
  /// of the turn.
  ///
  /// Bounded by ``Limits/actionsPerFrame``.
  @exclusivity(unchecked) var refused: Deque<Answer> = []
  /// Actions whose effects have ended, not reported yet, and the newest revision at that time.
  ///
  /// Bounded by ``Limits/effectsPerSession`` and ``Limits/unreleasedRevisions``.
  var finished: [(sequence: UInt64, revision: UInt64)] = []
  /// What the client is told behind the outcomes, when the session is over; nil until then.
  var goodbye: Goodbye?
  /// Whether something is to be sent now, and whether something will be after the next release.
  var (isUnsent, awaitsRelease) = (false, false)
  /// Actions whose effects run.
  ///
  /// Bounded by ``Limits/effectsPerSession``.
  @exclusivity(unchecked) private var tasks: [UInt64: StoreTask] = [:]

  init(record: ClientRecord) { self.record = record }

  /// An outcome that may be sent once its revision is released.
  struct Answer {
    let sequence: UInt64
    let outcome: Outcome
    let revision: UInt64
  }

  /// The sequence of the last action that has an outcome.
  var last: UInt64 { record.last }

  /// The sequence of the last action whose outcome may be sent.
  func last(releasedThrough revision: UInt64) -> UInt64 { record.last(through: revision) }

  /// The actions up to a revision whose effects run, as far as may be told by then, in their order.
  func running(through revision: UInt64) -> [UInt64] {
    let last = last(releasedThrough: revision)
    // What ended behind the revision has changed something that nobody may see yet.
    let ended = finished.lazy.filter { $0.revision > revision }.map(\.sequence)
    return (Array(tasks.keys) + ended).filter { $0 <= last }.sorted()
  }

  /// Nothing more is sent.
  func fallSilent() {
    unsaid.removeAll()
    refused.removeAll()
    goodbye = nil
  }

  /// How much is to be sent.
  var unsaidCount: Int { unsaid.count }

  var runningCount: Int { tasks.count }

  func run(_ task: StoreTask, of sequence: UInt64) { tasks[sequence] = task }

  /// - Returns: Whether its effects ran until now.
  func end(_ sequence: UInt64) -> Bool { tasks.removeValue(forKey: sequence) != nil }

  func isRunning(_ sequence: UInt64) -> Bool { tasks[sequence] != nil }

  /// Cancels the effects of an action; it has ended when they have.
  func cancel(_ sequence: UInt64) { tasks[sequence]?.cancel() }

  /// Cancels all effects without reporting their end.
  func cancelAll() {
    // Emptied first: an effect that ends at once has nobody to be reported to any more.
    let tasks = tasks
    self.tasks.removeAll()
    for (_, task) in tasks.sorted(by: { $0.key < $1.key }) { task.cancel() }
  }
}

/// Why the daemon ends a session, as its client is told.
struct Goodbye {
  let code: String
  let message: String
}
