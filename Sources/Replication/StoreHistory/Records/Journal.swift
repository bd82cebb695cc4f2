/// Where a daemon keeps its history, as its turn sees it; what is kept is read by a
/// ``HistorySource``.
///
/// A journal has a **term**: whoever begins to write a history raises it by one, and from then on
/// nothing is taken from those who began before. So an object is one daemon's hold of a history,
/// and each of its calls is under its term: one that is no longer the newest ends with
/// ``JournalResult/fenced(_:)``, and changes nothing.
///
/// Calls return at once; what became of a call is handed to `DaemonTurn.finish(_:)` later, on the
/// main thread. At most one batch and one snapshot are under way at a time.
@MainActor
package protocol Journal: AnyObject {
  /// Makes records durable.
  ///
  /// A batch that is there already is kept once: one of which nobody knows may be tried again.
  func append(_ batch: JournalBatch)

  /// Notes that history goes on in another epoch.
  func renew(epoch: UInt64)

  /// Keeps a snapshot, and lets go of history that nobody needs any more.
  func store(_ snapshot: JournalSnapshot)

  /// Whether a result is on its way to the main thread, which is asked between two actions.
  var hasResult: Bool { get }
}

/// Records of consecutive revisions, to be made durable together.
package struct JournalBatch: Hashable, Sendable {
  /// The first and the last revision.
  package var revisions: ClosedRange<UInt64>
  /// One ``JournalRecord`` after the other.
  package var records: [UInt8]
  /// No session has a number beyond this one.
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

/// A daemon's state at a durable revision, and what has to be known besides to go on from there.
package struct JournalSnapshot: Sendable {
  package let revision: UInt64
  /// Makes its bytes, on any thread: as much work as the state is large.
  package let encoded: @Sendable () -> [UInt8]

  package init(revision: UInt64, encoded: @escaping @Sendable () -> [UInt8]) {
    self.revision = revision
    self.encoded = encoded
  }
}

/// What became of a call to a ``Journal``.
package enum JournalResult: Hashable, Sendable {
  /// Nothing that happens to the machine takes back the batch, which ended with this revision.
  case durable(through: UInt64)
  /// The batch is not known to be kept, and is to be tried again: why, such as a disk that is full,
  /// or an answer that did not come.
  case retryLater(String)
  /// It is not known what was kept. Nothing further may be appended by this process.
  case failed(String)
  /// Somebody else goes on with the history, and says what becomes of it: nobody may be told of
  /// anything any more.
  case fenced(String)
  /// History goes on in this epoch, whatever happens to the machine.
  case renewed(epoch: UInt64)
  /// It cannot be noted for now that history goes on in another epoch, and why; it is tried again.
  case unrenewed(String)
  /// The snapshot is kept; or it is not, which says why, and the next one is tried later.
  case snapshot(problem: String?)
  /// Old history is still there, and why; the next snapshot has it let go of as well.
  case untrimmed(String)
}
