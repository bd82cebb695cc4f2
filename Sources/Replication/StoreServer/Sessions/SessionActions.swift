import DequeModule
import StoreActor
import StoreProtocol

/// A session's actions: their outcomes, and the outcomes that are still to be sent.
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
  /// The goodbye that follows the outcomes of an ended session; nil until then.
  var goodbye: Goodbye?
  /// Whether messages are to be sent now, and whether messages wait for the next release.
  var (isUnsent, awaitsRelease) = (false, false)
  /// The actions whose effects run, with their tasks.
  ///
  /// Bounded by ``Limits/effectsPerSession``.
  @exclusivity(unchecked) private var tasks: [UInt64: StoreTask] = [:]

  init(record: ClientRecord) { self.record = record }

  /// An outcome that may be sent once its revision is released.
  struct Answer {
    let sequence: UInt64
    /// The outcome without its value, which only the client's record keeps.
    let outcome: Outcome
    /// Whether the outcome had a value.
    let hasValue: Bool
    let revision: UInt64

    init(sequence: UInt64, outcome: Outcome, revision: UInt64) {
      self.sequence = sequence
      hasValue = outcome.hasValue
      self.outcome = hasValue ? outcome.withoutValue : outcome
      self.revision = revision
    }
  }

  /// The sequence of the last action that has an outcome.
  var last: UInt64 { record.last }

  /// The sequence of the last action whose outcome may be sent.
  func last(releasedThrough revision: UInt64) -> UInt64 { record.last(through: revision) }

  /// Returns the actions up to a revision whose effects run as far as the client may know, sorted.
  func running(through revision: UInt64) -> [UInt64] {
    let last = last(releasedThrough: revision)
    // Effects that ended after the revision have changed state that no client may see yet.
    let ended = finished.lazy.filter { $0.revision > revision }.map(\.sequence)
    return (Array(tasks.keys) + ended).filter { $0 <= last }.sorted()
  }

  /// Drops all unsent outcomes and the goodbye.
  func fallSilent() {
    unsaid.removeAll()
    refused.removeAll()
    goodbye = nil
  }

  /// The number of outcomes to be sent.
  var unsaidCount: Int { unsaid.count }

  var runningCount: Int { tasks.count }

  func run(_ task: StoreTask, of sequence: UInt64) { tasks[sequence] = task }

  /// - Returns: Whether its effects ran until this call.
  func end(_ sequence: UInt64) -> Bool { tasks.removeValue(forKey: sequence) != nil }

  func isRunning(_ sequence: UInt64) -> Bool { tasks[sequence] != nil }

  /// Cancels the effects of an action, which ends when they have ended.
  func cancel(_ sequence: UInt64) { tasks[sequence]?.cancel() }

  /// Cancels all effects without reporting their end.
  func cancelAll() {
    // Emptied first: the end of an effect that ends at once must not be reported.
    let tasks = tasks
    self.tasks.removeAll()
    for (_, task) in tasks.sorted(by: { $0.key < $1.key }) { task.cancel() }
  }
}

/// The reason for the end of a session, as sent to its client.
struct Goodbye {
  let code: String
  let message: String
}
