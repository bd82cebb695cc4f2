package import StoreProtocol
package import StoreState

/// A reader of the past, beside a daemon that may continue to write.
///
/// Calls block. They are made on one thread at a time, and never on the main one.
package protocol HistorySource: AnyObject, Sendable {
  /// The revisions that are kept now.
  func extent() throws(HistoryError) -> HistoryExtent

  /// The newest readable snapshot at a revision or before it; nil if there is no such snapshot.
  func snapshot(upTo revision: UInt64) throws(HistoryError) -> HistoryPart?

  /// Passes batches of records to `take`, oldest first, until it returns false.
  ///
  /// - Parameters:
  ///   - revision: The first batch ends after this revision.
  ///   - take: Takes a batch, and returns whether it needs another one.
  /// - Throws: ``HistoryError``, also the errors of `take`.
  func records(
    after revision: UInt64,
    _ take: (HistoryPart) throws(HistoryError) -> Bool,
  ) throws(HistoryError)
}

extension HistorySource {
  /// The number of attempts to read while old history is being removed.
  private var attempts: Int { 3 }

  /// Reads in several steps, and restarts if history was removed in between.
  ///
  /// - Parameter body: Reads, given the extent at the start.
  /// - Returns: The result of `body`.
  /// - Throws: ``HistoryError``.
  func steadily<Value>(
    _ body: (HistoryExtent) throws(HistoryError) -> Value
  ) throws(HistoryError) -> Value {
    for _ in 0..<attempts {
      let extent = try self.extent()
      do throws(HistoryError) {
        return try body(extent)
      } catch {
        guard try self.extent().hasLetGo(since: extent) else { throw error }
      }
    }
    throw HistoryError(
      .unavailable,
      "Old history is let go of faster than it is read: \(attempts) times it went meanwhile. "
        + "Try again when less is sent.",
    )
  }
}

/// The revisions that a history keeps.
package struct HistoryExtent: Hashable, Sendable {
  /// The oldest snapshot: no state before it can be read; nil if there is no snapshot.
  package var oldestState: UInt64?
  /// The revision before the first record.
  package var beforeRecords: UInt64
  package var newest: UInt64
  /// The revisions of the snapshots, oldest first.
  package var snapshots: [UInt64]

  package init(
    oldestState: UInt64?,
    beforeRecords: UInt64,
    newest: UInt64,
    snapshots: [UInt64],
  ) {
    self.oldestState = oldestState
    self.beforeRecords = beforeRecords
    self.newest = newest
    self.snapshots = snapshots
  }

  /// Whether the snapshots or the oldest record differ from those of an earlier extent.
  package func hasLetGo(since other: HistoryExtent) -> Bool {
    snapshots != other.snapshots || beforeRecords != other.beforeRecords
  }
}

/// The identity of a history, without its snapshots and records.
package struct HistoryHeading: Hashable, Sendable {
  /// The name of the root's type.
  package var root: String
  package var epoch: UInt64
  /// Whether the daemon that wrote it recorded at the end that it stopped.
  package var wasStopped: Bool

  package init(root: String, epoch: UInt64, wasStopped: Bool) {
    self.root = root
    self.epoch = epoch
    self.wasStopped = wasStopped
  }
}

/// A root's past that is restored step by step, with the root's types or without them.
package protocol PastRoot {
  /// Moves to the state of a snapshot.
  mutating func take(
    snapshot root: ArraySlice<UInt8>,
    _ schema: SchemaDocument,
  )
    throws(CodecError)

  /// Whether a build's bytes can be compared completely with the state.
  ///
  /// Otherwise the past adopts that build's types, or the build's own snapshot.
  func reads(_ schema: SchemaDocument) -> Bool

  /// Advances by one revision.
  ///
  /// - Returns: The names of the changed scopes.
  mutating func apply(
    _ delta: [UInt8],
    _ schema: SchemaDocument,
    naming: Bool,
  ) throws(CodecError) -> [String]

  /// The state of the requested scope, as an optional if it is one.
  func scope() throws(HistoryError) -> [UInt8]

  /// A digest of the whole state.
  func digest() -> Digest
}

extension HistoryError {
  /// A record is missing before existing ones.
  static func missing(_ revision: UInt64, before found: UInt64) -> HistoryError {
    HistoryError(
      .corrupt,
      "Revision \(revision) is missing: \(found) follows \(revision - 1).",
    )
  }

  /// A revision does not exist yet.
  package static func future(_ revision: UInt64, newest: UInt64) -> HistoryError {
    HistoryError(
      .future,
      "Revision \(revision) is still to come: the newest one that is kept is \(newest).",
    )
  }

  /// The state of a revision is no longer kept.
  package static func gone(_ revision: UInt64, _ extent: HistoryExtent) -> HistoryError {
    guard let oldest = extent.oldestState else { return withoutState() }
    return HistoryError(
      .gone,
      "Revision \(revision) is not kept any more: the oldest state that can be shown is that of "
        + "revision \(oldest), the newest that of \(extent.newest).",
    )
  }

  /// There is no state; the error states a remedy.
  ///
  /// - Parameter note: Further known facts, as sentences with a space after each.
  /// - Returns: The error.
  package static func withoutState(noting note: String = "") -> HistoryError {
    HistoryError(
      .corrupt,
      "\(note)No snapshot is readable that records continue, and records have changes only. "
        + "Restore a backup. "
        + "storectl log lists the records. If they begin with revision 1, the program that wrote "
        + "them may go on from them with --from-initial-state; storectl salvage copies all that "
        + "can be read.",
    )
  }
}
