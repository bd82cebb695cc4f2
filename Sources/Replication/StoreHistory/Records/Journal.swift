/// A daemon's history as its turn writes it; a ``HistorySource`` reads it.
///
/// A journal has a **term**. Each writer that opens a history raises it by one, and writes of
/// earlier terms are refused from then on. An object is one daemon's hold of a history, and each of
/// its calls has its term. A call whose term is not the newest ends with
/// ``JournalResult/fenced(_:)``, and changes nothing.
///
/// Calls return at once. `DaemonTurn.finish(_:)` receives the result of a call later, on the main
/// thread. At most one batch and one snapshot are in progress at a time.
@MainActor
package protocol Journal: AnyObject {
  /// Makes records durable.
  ///
  /// Idempotent: a batch whose outcome is unknown may be appended again, and is kept once.
  func append(_ batch: JournalBatch)

  /// Records that history continues in another epoch.
  func renew(epoch: UInt64)

  /// Keeps a snapshot, and removes history that is no longer needed.
  func store(_ snapshot: JournalSnapshot)

  /// Whether a result is on its way to the main thread, which reads this between two actions.
  var hasResult: Bool { get }
}

/// Records of consecutive revisions, to be made durable together.
package struct JournalBatch: Hashable, Sendable {
  /// The first and the last revision.
  package var revisions: ClosedRange<UInt64>
  /// One ``JournalRecord`` after the other.
  package var records: [UInt8]
  /// An upper bound of all session numbers.
  package var sessionNumbers: UInt64

  package init(
    revisions: ClosedRange<UInt64>,
    records: [UInt8],
    sessionNumbers: UInt64,
  ) {
    self.revisions = revisions
    self.records = records
    self.sessionNumbers = sessionNumbers
  }
}

/// A daemon's state at a durable revision, with the other data that a restart needs.
package struct JournalSnapshot: Sendable {
  package let revision: UInt64
  /// Encodes it, on any thread, in time proportional to the state's size.
  package let encoded: @Sendable () -> [UInt8]

  package init(revision: UInt64, encoded: @escaping @Sendable () -> [UInt8]) {
    self.revision = revision
    self.encoded = encoded
  }
}

/// The result of a call to a ``Journal``.
package enum JournalResult: Hashable, Sendable {
  /// The batch is durable up to this revision, despite any failure of the machine.
  case durable(through: UInt64)
  /// The batch may not be kept, and is to be appended again. The text is the reason, such as a full
  /// disk or a missing answer.
  case retryLater(String)
  /// The kept part is unknown. This process must not append further batches.
  case failed(String)
  /// Another daemon has continued the history and decides the outcomes. This daemon must not send
  /// any further results to clients.
  case fenced(String)
  /// History continues in this epoch, durably.
  case renewed(epoch: UInt64)
  /// The new epoch could not be recorded, for this reason; the daemon tries again.
  case unrenewed(String)
  /// The snapshot is kept; or the text is the reason of a failure, and the next one is tried later.
  case snapshot(problem: String?)
  /// Old history was not removed, for this reason; the next snapshot tries again.
  case untrimmed(String)
}
